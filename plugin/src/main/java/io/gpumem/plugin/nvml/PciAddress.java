package io.gpumem.plugin.nvml;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place on the PCI bus. NVML writes {@code 00000000:65:00.0} and the kernel {@code 0000:65:00.0};
 * domains above FFFF exist, so the form is read as numbers and never cut.
 */
public record PciAddress(long domain, int bus, int device, int function)
    implements Comparable<PciAddress> {

  private static final Pattern FORM =
      Pattern.compile("([0-9a-fA-F]{4,8}):([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\\.([0-7])");

  private static final Comparator<PciAddress> ORDER =
      Comparator.comparingLong(PciAddress::domain)
          .thenComparingInt(PciAddress::bus)
          .thenComparingInt(PciAddress::device)
          .thenComparingInt(PciAddress::function);

  public static Optional<PciAddress> parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return Optional.empty();
    }
    return Optional.of(
        new PciAddress(
            Long.parseLong(form.group(1), 16),
            Integer.parseInt(form.group(2), 16),
            Integer.parseInt(form.group(3), 16),
            Integer.parseInt(form.group(4), 16)));
  }

  @Override
  public int compareTo(PciAddress other) {
    return ORDER.compare(this, other);
  }

  /** As the kernel names it under {@code /sys/bus/pci/devices}. */
  @Override
  public String toString() {
    return "%04x:%02x:%02x.%x".formatted(domain, bus, device, function);
  }
}
