/*
 * Replays a machine through NVML's C ABI, so that the plugin's binding meets what breaks in it: names
 * with suffixes, struct offsets and struct versions.
 *
 * It reads layout.txt in its own folder at every call, lines of key=value, and adds each call's name
 * to calls.txt there. Keys: init (a code), driver, nvml, gpus, hang, delay_ms; gpu.<n>.<what>;
 * gpu.<n>.slot.<m>.<what>. A line code.<function>, code.<function>.gpu.<n> or
 * code.<function>.gpu.<n>.slot.<m> makes that call return the number.
 *
 * Variants: -DNO_MEMORY_V2, -DNO_FIELD_VALUES, -DNO_MIG leave functions out, as old drivers do.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvml_abi.h"

#define EXPORT __attribute__((visibility("default")))
typedef void *device_t;

static int started;

/* A file beside this library. */
static void beside(const char *name, char *path, size_t size) {
    Dl_info self;
    dladdr((void *)&started, &self);
    const char *slash = strrchr(self.dli_fname, '/');
    int folder = slash == NULL ? 0 : (int)(slash - self.dli_fname);
    snprintf(path, size, "%.*s/%s", folder, self.dli_fname, name);
}

/* The value of a key, or 0. Reads the file each time: a test may have replaced it. */
static int find(const char *key, char *value, size_t size) {
    char path[4096], line[1024];
    beside("layout.txt", path, sizeof path);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return 0;
    }
    size_t length = strlen(key);
    int found = 0;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, length) == 0 && line[length] == '=') {
            line[strcspn(line, "\n")] = 0;
            snprintf(value, size, "%s", line + length + 1);
            found = 1;
        }
    }
    fclose(file);
    return found;
}

static unsigned long long number(const char *key, unsigned long long otherwise) {
    char value[64];
    return find(key, value, sizeof value) ? strtoull(value, NULL, 0) : otherwise;
}

static void note(const char *function) {
    char path[4096];
    beside("calls.txt", path, sizeof path);
    FILE *file = fopen(path, "a");
    if (file != NULL) {
        fprintf(file, "%s\n", function);
        fclose(file);
    }
}

/* A handle is a GPU's index and a MIG slot, each counted from one; slot 0 is the GPU itself. */
static device_t handle_of(int gpu, int slot) {
    return (device_t)(intptr_t)(((intptr_t)(gpu + 1) << 32) | (slot + 1));
}

static int gpu_of(device_t device) {
    return (int)((intptr_t)device >> 32) - 1;
}

static int slot_of(device_t device) {
    return (int)((intptr_t)device & 0xffffffff) - 1;
}

static void key_of(device_t device, const char *what, char *key, size_t size) {
    if (slot_of(device) < 0) {
        snprintf(key, size, "gpu.%d.%s", gpu_of(device), what);
    } else {
        snprintf(key, size, "gpu.%d.slot.%d.%s", gpu_of(device), slot_of(device), what);
    }
}

static unsigned long long of(device_t device, const char *what, unsigned long long otherwise) {
    char key[128];
    key_of(device, what, key, sizeof key);
    return number(key, otherwise);
}

static int is_mig(device_t device) {
    return slot_of(device) >= 0;
}

/* What every call does first: its note, its delay, and the code that the layout wants of it. */
static int begin(const char *function, device_t device) {
    char key[128];
    note(function);
    if (started <= 0) {
        return UNINITIALIZED;
    }
    usleep((useconds_t)number("delay_ms", 0) * 1000);
    while (number("hang", 0) != 0) {
        usleep(2000);
    }
    snprintf(key, sizeof key, "code.%s", function);
    int code = (int)number(key, SUCCESS);
    if (device != NULL) {
        char target[64];
        key_of(device, "", target, sizeof target);
        target[strlen(target) - 1] = 0;
        snprintf(key, sizeof key, "code.%s.%s", function, target);
        code = (int)number(key, (unsigned long long)code);
        if (code == SUCCESS && is_mig(device) && of(device, "gi", ~0ull) == ~0ull) {
            code = INVALID_ARGUMENT;
        }
    }
    return code;
}

static int copy(const char *text, char *out, unsigned int length) {
    if (strlen(text) + 1 > length) {
        return INSUFFICIENT_SIZE;
    }
    strcpy(out, text);
    return SUCCESS;
}

static int text_of(device_t device, const char *what, char *out, unsigned int length) {
    char key[128], value[256] = "";
    key_of(device, what, key, sizeof key);
    find(key, value, sizeof value);
    return copy(value, out, length);
}

static int start(const char *function) {
    note(function);
    int code = (int)number("init", SUCCESS);
    if (code == SUCCESS) {
        started++;
    }
    return code;
}

EXPORT int nvmlInit(void) {
    return start("nvmlInit");
}

EXPORT int nvmlInit_v2(void) {
    return start("nvmlInit_v2");
}

EXPORT int nvmlShutdown(void) {
    note("nvmlShutdown");
    if (started <= 0) {
        return UNINITIALIZED;
    }
    started--;
    return SUCCESS;
}

EXPORT int nvmlSystemGetDriverVersion(char *version, unsigned int length) {
    char value[128] = "";
    int code = begin("nvmlSystemGetDriverVersion", NULL);
    find("driver", value, sizeof value);
    return code != SUCCESS ? code : copy(value, version, length);
}

/* Needs no init. */
EXPORT int nvmlSystemGetNVMLVersion(char *version, unsigned int length) {
    char value[128] = "";
    note("nvmlSystemGetNVMLVersion");
    find("nvml", value, sizeof value);
    return copy(value, version, length);
}

EXPORT int nvmlDeviceGetCount(unsigned int *count) {
    int code = begin("nvmlDeviceGetCount", NULL);
    *count = (unsigned int)number("gpus.v1", 0);
    return code;
}

EXPORT int nvmlDeviceGetCount_v2(unsigned int *count) {
    int code = begin("nvmlDeviceGetCount_v2", NULL);
    if (code == SUCCESS) {
        *count = (unsigned int)number("gpus", 0);
    }
    return code;
}

static int handle_by_index(const char *function, unsigned int index, device_t *device) {
    device_t found = handle_of((int)index, -1);
    int code = begin(function, found);
    if (code == SUCCESS && index >= number("gpus", 0)) {
        return INVALID_ARGUMENT;
    }
    if (code == SUCCESS) {
        *device = found;
    }
    return code;
}

EXPORT int nvmlDeviceGetHandleByIndex(unsigned int index, device_t *device) {
    return handle_by_index("nvmlDeviceGetHandleByIndex", index, device);
}

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned int index, device_t *device) {
    return handle_by_index("nvmlDeviceGetHandleByIndex_v2", index, device);
}

EXPORT int nvmlDeviceGetUUID(device_t device, char *uuid, unsigned int length) {
    int code = begin("nvmlDeviceGetUUID", device);
    return code != SUCCESS ? code : text_of(device, "uuid", uuid, length);
}

EXPORT int nvmlDeviceGetName(device_t device, char *name, unsigned int length) {
    int code = begin("nvmlDeviceGetName", device);
    return code != SUCCESS ? code : text_of(device, "name", name, length);
}

EXPORT int nvmlDeviceGetMinorNumber(device_t device, unsigned int *minor) {
    int code = begin("nvmlDeviceGetMinorNumber", device);
    if (code == SUCCESS && is_mig(device)) {
        return NOT_SUPPORTED;
    }
    if (code == SUCCESS) {
        *minor = (unsigned int)of(device, "minor", 0);
    }
    return code;
}

/* The first form of the struct has no busId and ends after its reserved words. */
EXPORT int nvmlDeviceGetPciInfo(device_t device, void *info) {
    int code = begin("nvmlDeviceGetPciInfo", device);
    if (code == SUCCESS) {
        memset(info, 'x', 32);
    }
    return code;
}

EXPORT int nvmlDeviceGetPciInfo_v3(device_t device, pci_info *info) {
    int code = begin("nvmlDeviceGetPciInfo_v3", device);
    if (code == SUCCESS && is_mig(device)) {
        return INVALID_ARGUMENT;
    }
    if (code == SUCCESS) {
        memset(info, 0, sizeof *info);
        text_of(device, "bus", info->busId, sizeof info->busId);
        snprintf(info->busIdLegacy, sizeof info->busIdLegacy, "%.12s", info->busId + 4);
        sscanf(info->busId, "%x:%x:%x", &info->domain, &info->bus, &info->device);
        info->pciDeviceId = 0x233510de;
    }
    return code;
}

EXPORT int nvmlDeviceGetMemoryInfo(device_t device, memory_v1 *memory) {
    int code = begin("nvmlDeviceGetMemoryInfo", device);
    if (code == SUCCESS && of(device, "total", 0) == 0) {
        return NOT_SUPPORTED;
    }
    if (code == SUCCESS) {
        memory->total = of(device, "total", 0);
        memory->used = of(device, "used", 0) + of(device, "reserved", 0);
        memory->free = memory->total - memory->used;
    }
    return code;
}

#ifndef NO_MEMORY_V2
EXPORT int nvmlDeviceGetMemoryInfo_v2(device_t device, memory_v2 *memory) {
    int code = begin("nvmlDeviceGetMemoryInfo_v2", device);
    if (code == SUCCESS && memory->version != MEMORY_V2_VERSION) {
        return FUNCTION_NOT_FOUND;
    }
    if (code == SUCCESS && of(device, "total", 0) == 0) {
        return NOT_SUPPORTED;
    }
    if (code == SUCCESS) {
        memory->total = of(device, "total", 0);
        memory->reserved = of(device, "reserved", 0);
        memory->used = of(device, "used", 0);
        memory->free = memory->total - memory->reserved - memory->used;
    }
    return code;
}
#endif

#ifndef NO_MIG
EXPORT int nvmlDeviceGetMigMode(device_t device, unsigned int *current, unsigned int *pending) {
    int code = begin("nvmlDeviceGetMigMode", device);
    unsigned long long mode = of(device, "mig", ~0ull);
    if (code == SUCCESS && (is_mig(device) || mode == ~0ull)) {
        return NOT_SUPPORTED;
    }
    if (code == SUCCESS) {
        *current = (unsigned int)mode;
        *pending = (unsigned int)mode;
    }
    return code;
}

EXPORT int nvmlDeviceGetMaxMigDeviceCount(device_t device, unsigned int *count) {
    int code = begin("nvmlDeviceGetMaxMigDeviceCount", device);
    if (code == SUCCESS) {
        *count = of(device, "mig", 0) == 1 ? (unsigned int)of(device, "slots", 7) : 0;
    }
    return code;
}

EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(device_t device, unsigned int index, device_t *mig) {
    device_t found = handle_of(gpu_of(device), (int)index);
    char key[128];
    int code = begin("nvmlDeviceGetMigDeviceHandleByIndex", device);
    snprintf(key, sizeof key, "code.nvmlDeviceGetMigDeviceHandleByIndex.gpu.%d.slot.%u",
             gpu_of(device), index);
    code = (int)number(key, (unsigned long long)code);
    if (code == SUCCESS && of(found, "gi", ~0ull) == ~0ull) {
        return NOT_FOUND;
    }
    if (code == SUCCESS) {
        *mig = found;
    }
    return code;
}

static int id(const char *function, device_t device, const char *what, unsigned int *out) {
    int code = begin(function, device);
    if (code == SUCCESS && !is_mig(device)) {
        return INVALID_ARGUMENT;
    }
    if (code == SUCCESS) {
        *out = (unsigned int)of(device, what, 0);
    }
    return code;
}

EXPORT int nvmlDeviceGetGpuInstanceId(device_t device, unsigned int *out) {
    return id("nvmlDeviceGetGpuInstanceId", device, "gi", out);
}

EXPORT int nvmlDeviceGetComputeInstanceId(device_t device, unsigned int *out) {
    return id("nvmlDeviceGetComputeInstanceId", device, "ci", out);
}
#endif

#ifndef NO_FIELD_VALUES
EXPORT int nvmlDeviceGetFieldValues(device_t device, int count, field_value *values) {
    int code = begin("nvmlDeviceGetFieldValues", device);
    for (int at = 0; code == SUCCESS && at < count; at++) {
        unsigned long long action = of(device, "recovery", ~0ull);
        int known = values[at].fieldId == 230 && action != ~0ull;
        values[at].nvmlReturn = known ? SUCCESS : NOT_SUPPORTED;
        values[at].valueType = 1;
        values[at].value.asUnsigned = known ? (unsigned int)action : 0xffffffffu;
    }
    return code;
}
#endif
