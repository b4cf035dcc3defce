package io.gpumem.demo.audit;

/**
 * One device in the final table; amounts in units.
 *
 * @param device its kind and index, such as {@code GPU0}
 * @param published used, by the node's annotation
 * @param given by the kubelet's own table, each device ID counted once
 */
public record DeviceLine(
    String node, String device, String model, long units, long published, long given) {

  public boolean isEqual() {
    return published == given;
  }
}
