package io.gpumem.core.inventory;

import io.gpumem.core.units.DeviceUuid;

/**
 * Where a MIG device comes from. The profile is for people only: the number in its name is not its
 * size (1g.18gb of an H200 has 16384 MiB).
 */
public record MigSlice(DeviceUuid parent, String profile) {}
