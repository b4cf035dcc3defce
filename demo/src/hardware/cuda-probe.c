/*
 * Says which GPUs a CUDA program sees, and takes 64 MiB on each: seeing alone proves little.
 *
 *   gcc -std=c11 -O1 -Wall -Wextra -o cuda-probe cuda-probe.c -ldl
 *
 * No CUDA headers: the driver's library is opened at run time, and the few names used here have had
 * these signatures since CUDA 11.4. Lines of key=value, io.gpumem.demo.hardware.Sight reads them:
 *
 *   init=0 driver=13000 devices=1
 *   device=0 uuid=GPU-... total=... taken=67108864 name=...
 *
 * The exit code is 0 if all it saw could be used, none at all included.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define TAKEN (64ull << 20)
#define SUCCESS 0
#define NO_DEVICE 100

typedef struct {
    unsigned char bytes[16];
} uuid_t;

static const char *const PLACES[] = {
    "libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
    "/usr/lib64/libcuda.so.1",
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
    "/usr/lib/wsl/lib/libcuda.so.1",
    "/run/nvidia/driver/usr/lib/x86_64-linux-gnu/libcuda.so.1",
};

static void *library;

static void *function(const char *name) {
    void *found = dlsym(library, name);
    if (found == NULL) {
        fprintf(stderr, "cuda-probe: the driver has no %s\n", name);
        exit(3);
    }
    return found;
}

/* ISO C has no cast from an object to a function; POSIX says that this one works. */
#define FIND(type, name) (*(type *)(void *[]){function(name)})

typedef int (*int_of_unsigned)(unsigned);
typedef int (*int_of_int)(int *);
typedef int (*device_get)(int *, int);
typedef int (*device_uuid)(uuid_t *, int);
typedef int (*device_memory)(size_t *, int);
typedef int (*device_name)(char *, int, int);
typedef int (*context_retain)(void **, int);
typedef int (*context_release)(int);
typedef int (*context_set)(void *);
typedef int (*memory_take)(unsigned long long *, size_t);
typedef int (*memory_free)(unsigned long long);

static void must(int code, const char *what) {
    if (code != SUCCESS) {
        fprintf(stderr, "cuda-probe: %s: CUDA error %d\n", what, code);
        exit(4);
    }
}

static void print_uuid(const uuid_t *uuid) {
    printf("GPU-");
    for (int i = 0; i < 16; i++) {
        printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid->bytes[i]);
    }
}

static void look_at(int ordinal) {
    int device;
    uuid_t uuid;
    size_t total;
    char name[128];
    void *context;
    unsigned long long memory;
    must(FIND(device_get, "cuDeviceGet")(&device, ordinal), "cuDeviceGet");
    must(FIND(device_uuid, "cuDeviceGetUuid_v2")(&uuid, device), "cuDeviceGetUuid_v2");
    must(FIND(device_memory, "cuDeviceTotalMem_v2")(&total, device), "cuDeviceTotalMem_v2");
    must(FIND(device_name, "cuDeviceGetName")(name, sizeof name, device), "cuDeviceGetName");
    must(FIND(context_retain, "cuDevicePrimaryCtxRetain")(&context, device), "a context");
    must(FIND(context_set, "cuCtxSetCurrent")(context), "cuCtxSetCurrent");
    must(FIND(memory_take, "cuMemAlloc_v2")(&memory, TAKEN), "cuMemAlloc_v2");
    printf("device=%d uuid=", ordinal);
    print_uuid(&uuid);
    printf(" total=%zu taken=%llu name=%s\n", total, TAKEN, name);
    must(FIND(memory_free, "cuMemFree_v2")(memory), "cuMemFree_v2");
    must(FIND(context_release, "cuDevicePrimaryCtxRelease_v2")(device), "the context's release");
}

int main(void) {
    for (size_t i = 0; library == NULL && i < sizeof PLACES / sizeof *PLACES; i++) {
        library = dlopen(PLACES[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) {
        fprintf(stderr, "cuda-probe: no libcuda.so.1: %s\n", dlerror());
        return 2;
    }
    int driver = 0;
    int devices = 0;
    int init = FIND(int_of_unsigned, "cuInit")(0);
    must(FIND(int_of_int, "cuDriverGetVersion")(&driver), "cuDriverGetVersion");
    if (init == SUCCESS) {
        must(FIND(int_of_int, "cuDeviceGetCount")(&devices), "cuDeviceGetCount");
    }
    printf("init=%d driver=%d devices=%d\n", init, driver, devices);
    for (int ordinal = 0; ordinal < devices; ordinal++) {
        look_at(ordinal);
    }
    return init == SUCCESS || init == NO_DEVICE ? 0 : 5;
}
