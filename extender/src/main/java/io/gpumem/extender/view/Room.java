package io.gpumem.extender.view;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.ledger.NodeLedger;
import io.gpumem.core.units.Units;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/**
 * A node's free units, in the form in which the plainest question is answered at once: does so much
 * fit on one device, whichever. Most pods ask just that, of thousands of nodes, and the search
 * through placements would cost a hundred times as much. What it answers is what core's Placement
 * answers; a law holds the two together.
 */
public final class Room {

  /** Free units of the devices that take new pods, the smallest first. */
  private final long[] open;

  private final long openSum;
  private final OptionalLong largestDevice;
  private final long largestOpen;
  private final long total;

  private Room(
      long[] open, long openSum, OptionalLong largestDevice, long largestOpen, long total) {
    this.open = open;
    this.openSum = openSum;
    this.largestDevice = largestDevice;
    this.largestOpen = largestOpen;
    this.total = total;
  }

  static Room of(NodeLedger ledger) {
    List<Device> devices = ledger.inventory().devices();
    long[] open =
        devices.stream().filter(ledger::isOpen).mapToLong(ledger::free).sorted().toArray();
    long openSum = Arrays.stream(open).reduce(0, Units::sum);
    long total = devices.stream().mapToLong(ledger::free).reduce(0, Units::sum);
    long largestOpen =
        devices.stream().filter(ledger::isOpen).mapToLong(Device::units).max().orElse(0);
    return new Room(open, openSum, ledger.inventory().largestDevice(), largestOpen, total);
  }

  /** The free units of the fullest device that still takes a piece; empty when none does. */
  public OptionalLong tightest(long piece) {
    for (long free : open) {
      if (free >= piece) {
        return OptionalLong.of(free);
      }
    }
    return OptionalLong.empty();
  }

  /** The free units of the emptiest device, if it takes the piece. */
  public OptionalLong widest(long piece) {
    boolean fits = open.length > 0 && open[open.length - 1] >= piece;
    return fits ? OptionalLong.of(open[open.length - 1]) : OptionalLong.empty();
  }

  public boolean takes(long piece) {
    return open.length > 0 && open[open.length - 1] >= piece;
  }

  /** Free units of all devices that take new pods. */
  public long openSum() {
    return openSum;
  }

  /** Units of the largest device; empty on a node without devices. */
  public OptionalLong largestDevice() {
    return largestDevice;
  }

  /** Units of the largest device that takes new pods; 0 where none does. */
  public long largestOpen() {
    return largestOpen;
  }

  /** Free units of all devices, also those that take no new pods. */
  public long total() {
    return total;
  }
}
