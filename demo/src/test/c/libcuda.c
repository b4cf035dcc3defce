/*
 * A CUDA driver without GPUs, so that the probe can be tried anywhere. GPU n is there if the file
 * nvidia<n> is in the folder that $FAKE_DEV names (/dev if there is none) and $CUDA_VISIBLE_DEVICES
 * does not leave it out. Its UUID is GPU-0000000n-0000-0000-0000-000000000000, or the n-th of those
 * that $FAKE_UUIDS lists, separated by commas.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 8
#define UUID_TEXT 41
#define NO_DEVICE 100

static char uuids[MOST][UUID_TEXT];
static int seen[MOST];
static int count;

int cuInit(unsigned flags) {
    (void)flags;
    const char *dev = getenv("FAKE_DEV");
    const char *chosen = getenv("CUDA_VISIBLE_DEVICES");
    const char *list = getenv("FAKE_UUIDS");
    count = 0;
    for (int gpu = 0; gpu < MOST; gpu++) {
        char path[4096];
        snprintf(uuids[gpu], UUID_TEXT, "GPU-%08x-0000-0000-0000-000000000000", (unsigned)gpu);
        if (list != NULL && strlen(list) >= UUID_TEXT - 1) {
            memcpy(uuids[gpu], list, UUID_TEXT - 1);
            list += strlen(list) > UUID_TEXT - 1 ? UUID_TEXT : UUID_TEXT - 1;
        }
        snprintf(path, sizeof path, "%s/nvidia%d", dev == NULL ? "/dev" : dev, gpu);
        if (access(path, F_OK) == 0 && (chosen == NULL || strstr(chosen, uuids[gpu]) != NULL)) {
            seen[count++] = gpu;
        }
    }
    return count == 0 ? NO_DEVICE : 0;
}

int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuDeviceGetCount(int *devices) { *devices = count; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = seen[ordinal]; return 0; }
int cuDeviceTotalMem_v2(size_t *total, int device) { (void)device; *total = 150109880320; return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { (void)device; *context = uuids; return 0; }
int cuDevicePrimaryCtxRelease_v2(int device) { (void)device; return 0; }
int cuCtxSetCurrent(void *context) { return context == uuids ? 0 : 201; }
int cuMemAlloc_v2(unsigned long long *memory, size_t size) { *memory = size; return 0; }
int cuMemFree_v2(unsigned long long memory) { return memory == 64ull << 20 ? 0 : 1; }

int cuDeviceGetName(char *name, int size, int device) {
    snprintf(name, (size_t)size, "Made-up GPU %d", device);
    return 0;
}

int cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
    const char *text = uuids[device] + 4;
    for (int i = 0; i < 16; i++) {
        unsigned byte;
        text += *text == '-';
        sscanf(text, "%2x", &byte);
        uuid[i] = (unsigned char)byte;
        text += 2;
    }
    return 0;
}
