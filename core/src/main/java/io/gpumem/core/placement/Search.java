package io.gpumem.core.placement;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.units.Units;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Finds a device for each share of a demand.
 *
 * <p><b>Goals.</b> Find a place wherever there is one, and take the devices in their order where
 * that leads to one. <b>Constraints.</b> The shares of one container are on distinct devices; a
 * filter asks thousands of nodes. <b>Algorithm.</b> Most demands are placed by one descent, each
 * share on the first device that takes it. Where that fails, a depth-first search goes on, and
 * three things keep it short: of devices with the same room one is tried; room that no sum of the
 * remaining shares fills is no room, and less of it than is left to place is hopeless; and what was
 * hopeless once, for as many shares placed and the same rooms whichever the devices, is not tried
 * again. It gives up, as if nothing fitted, after {@value #MOST_STATES} states: 14 containers that
 * fill 8 devices to the last unit take some hundreds at most, but no bound holds for all.
 */
final class Search {

  static final int MOST_STATES = 2_000;

  /** The search's own depth; a demand of more shares has the one descent. */
  private static final int MOST_SHARES = 256;

  /** Sums are kept as bits up to this room; no kubelet bears a device of so many units. */
  private static final int LARGEST_SUM = 1 << 13;

  private final List<Share> shares;
  private final List<Device> devices;
  private long[] room;
  private final int[] path;
  private final List<Rest> rests = new ArrayList<>();
  private final Set<List<Long>> hopeless = new HashSet<>();
  private int states;

  /**
   * One device's part of a container's units.
   *
   * @param first whether it is the container's first part: the others go onto later devices in the
   *     order, so that each set of devices is tried once
   */
  record Share(String container, long units, boolean first) {}

  /** The shares from one on: their units, and every sum of some of them that a device may take. */
  private record Rest(long units, BitSet sums) {}

  /**
   * @param shares the largest first
   * @param free what is free on a device
   */
  Search(List<Share> shares, List<Device> devices, ToLongFunction<Device> free) {
    this.shares = shares;
    this.devices = devices;
    this.room = devices.stream().mapToLong(free).toArray();
    this.path = new int[shares.size()];
  }

  /** Whether all shares have a place; {@link #chosen} then says which. */
  boolean succeeds() {
    long[] begin = room.clone();
    if (descends()) {
      return true;
    }
    room = begin;
    if (shares.size() > MOST_SHARES) {
      return false;
    }
    fillRests();
    return place(0);
  }

  private boolean descends() {
    for (int at = 0; at < shares.size(); at++) {
      int device = from(at);
      while (device < room.length && room[device] < shares.get(at).units()) {
        device++;
      }
      if (device == room.length) {
        return false;
      }
      take(at, device);
    }
    return true;
  }

  private int from(int at) {
    return shares.get(at).first() ? 0 : path[at - 1] + 1;
  }

  private void take(int at, int device) {
    room[device] -= shares.get(at).units();
    path[at] = device;
  }

  private void fillRests() {
    long largest = Math.min(LARGEST_SUM, Arrays.stream(room).max().orElse(0));
    BitSet sums = new BitSet();
    sums.set(0);
    Rest rest = new Rest(0, sums);
    for (Share share : shares.reversed()) {
      BitSet more = new BitSet();
      more.or(rest.sums);
      for (int sum = rest.sums.nextSetBit(0);
          sum >= 0 && sum + share.units() <= largest;
          sum = rest.sums.nextSetBit(sum + 1)) {
        more.set(Math.toIntExact(sum + share.units()));
      }
      rest = new Rest(Units.sum(rest.units, share.units()), more);
      rests.addFirst(rest);
    }
  }

  private boolean place(int at) {
    if (at == shares.size()) {
      return true;
    }
    boolean boundary = shares.get(at).first();
    if (boundary && isHopeless(at)) {
      return false;
    }
    int from = from(at);
    for (int i = from; i < room.length; i++) {
      if (room[i] >= shares.get(at).units() && isFirstOfItsRoom(i, from)) {
        take(at, i);
        if (place(at + 1)) {
          return true;
        }
        room[i] += shares.get(at).units();
      }
    }
    if (boundary) {
      hopeless.add(state(at));
    }
    return false;
  }

  private boolean isFirstOfItsRoom(int device, int from) {
    for (int i = from; i < device; i++) {
      if (room[i] == room[device]) {
        return false;
      }
    }
    return true;
  }

  private boolean isHopeless(int at) {
    return ++states > MOST_STATES
        || fillable(at) < rests.get(at).units
        || hopeless.contains(state(at));
  }

  /** How much of the room the remaining shares can fill at most. */
  private long fillable(int at) {
    long fillable = 0;
    for (long each : room) {
      boolean known = each <= LARGEST_SUM;
      fillable = Units.sum(fillable, known ? rests.get(at).sums.previousSetBit((int) each) : each);
    }
    return fillable;
  }

  /** How many shares are placed, and the rooms whichever the devices. */
  private List<Long> state(int at) {
    List<Long> state = new ArrayList<>();
    Arrays.stream(room).sorted().forEach(state::add);
    state.add((long) at);
    return state;
  }

  /** The device of each share. */
  List<Device> chosen() {
    return Arrays.stream(path).mapToObj(devices::get).toList();
  }

  /** Units that stay free on the fullest of the chosen devices. */
  long leftover() {
    return Arrays.stream(path).mapToLong(device -> room[device]).min().orElse(Long.MAX_VALUE);
  }
}
