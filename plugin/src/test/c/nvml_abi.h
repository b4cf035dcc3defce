/* The codes and structs of NVML (API version 13) that the plugin uses, with the offsets asserted. */
#include <assert.h>
#include <stddef.h>

enum {
    SUCCESS = 0,
    UNINITIALIZED = 1,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7,
    FUNCTION_NOT_FOUND = 13
};

typedef struct {
    unsigned long long total, free, used;
} memory_v1;

typedef struct {
    unsigned int version;
    unsigned long long total, reserved, free, used;
} memory_v2;

typedef struct {
    char busIdLegacy[16];
    unsigned int domain, bus, device, pciDeviceId, pciSubSystemId;
    char busId[32];
} pci_info;

typedef struct {
    unsigned int fieldId, scopeId;
    long long timestamp, latencyUsec;
    unsigned int valueType, nvmlReturn;
    union {
        double asDouble;
        unsigned int asUnsigned;
        unsigned long long asLong;
    } value;
} field_value;

#define AT(type, field, offset) static_assert(offsetof(type, field) == (offset), #type "." #field)
static_assert(sizeof(memory_v1) == 24, "nvmlMemory_t");
AT(memory_v1, total, 0);
AT(memory_v1, free, 8);
AT(memory_v1, used, 16);
static_assert(sizeof(memory_v2) == 40, "nvmlMemory_v2_t");
AT(memory_v2, version, 0);
AT(memory_v2, total, 8);
AT(memory_v2, reserved, 16);
AT(memory_v2, free, 24);
AT(memory_v2, used, 32);
static_assert(sizeof(pci_info) == 68, "nvmlPciInfo_t");
AT(pci_info, busIdLegacy, 0);
AT(pci_info, domain, 16);
AT(pci_info, bus, 20);
AT(pci_info, device, 24);
AT(pci_info, pciDeviceId, 28);
AT(pci_info, pciSubSystemId, 32);
AT(pci_info, busId, 36);
static_assert(sizeof(field_value) == 40, "nvmlFieldValue_t");
AT(field_value, fieldId, 0);
AT(field_value, scopeId, 4);
AT(field_value, timestamp, 8);
AT(field_value, latencyUsec, 16);
AT(field_value, valueType, 24);
AT(field_value, nvmlReturn, 28);
AT(field_value, value, 32);

#define MEMORY_V2_VERSION 0x02000028u
