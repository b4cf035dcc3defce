/*
 * Prints the GPUs that a CUDA program sees here, by the names that NVML gives them, and takes 64 MiB
 * of the first. It uses the driver's library alone, opened at run time, so that it compiles without
 * CUDA: cc -o cuda-probe cuda-probe.c -ldl
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*init_fn)(unsigned);
typedef int (*count_fn)(int *);
typedef int (*get_fn)(int *, int);
typedef int (*uuid_fn)(unsigned char *, int);
typedef int (*total_fn)(size_t *, int);
typedef int (*retain_fn)(void **, int);
typedef int (*current_fn)(void *);
typedef int (*alloc_fn)(unsigned long long *, size_t);

static void *library;

static void *symbol(const char *name) {
  void *found = dlsym(library, name);
  if (found == NULL) {
    printf("no symbol %s\n", name);
    exit(2);
  }
  return found;
}

static void take_memory(int device) {
  void *context = NULL;
  unsigned long long pointer = 0;
  int code = ((retain_fn)symbol("cuDevicePrimaryCtxRetain"))(&context, device);
  if (code == 0) {
    code = ((current_fn)symbol("cuCtxSetCurrent"))(context);
  }
  if (code == 0) {
    code = ((alloc_fn)symbol("cuMemAlloc_v2"))(&pointer, (size_t)64 << 20);
  }
  printf("allocate 64 MiB: %d\n", code);
}

int main(void) {
  const char *path = getenv("CUDA_PROBE_LIBRARY");
  library = dlopen(path != NULL ? path : "libcuda.so.1", RTLD_NOW);
  if (library == NULL) {
    printf("no driver library: %s\n", dlerror());
    return 2;
  }
  int code = ((init_fn)symbol("cuInit"))(0);
  if (code != 0) {
    /* 100 is CUDA_ERROR_NO_DEVICE; other codes mean that there is no way to a device either. */
    printf("init: %d\ncount 0\n", code);
    return 0;
  }
  int count = 0;
  code = ((count_fn)symbol("cuDeviceGetCount"))(&count);
  printf("count %d\n", code == 0 ? count : 0);
  for (int i = 0; i < count; i++) {
    int device = 0;
    unsigned char u[16];
    size_t total = 0;
    ((get_fn)symbol("cuDeviceGet"))(&device, i);
    ((uuid_fn)symbol("cuDeviceGetUuid_v2"))(u, device);
    ((total_fn)symbol("cuDeviceTotalMem_v2"))(&total, device);
    printf("device %d GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x %zu MiB\n",
           i, u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13],
           u[14], u[15], total >> 20);
  }
  if (count > 0) {
    take_memory(0);
  }
  return 0;
}
