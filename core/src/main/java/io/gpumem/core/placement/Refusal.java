package io.gpumem.core.placement;

/**
 * Why a pod does not go onto a node. The texts are constant: kube-scheduler groups them in its
 * event, and a number in one would make it retry for ever (its own patch of the pod's condition
 * wakes the pod). The numbers are in the explain answer.
 */
public enum Refusal {
  UNKNOWN_NODE("no gpu-mem plugin has reported from this node", false),
  BAD_ANNOTATION("a gpu-mem annotation of the pod can't be understood", false),
  NO_SUCH_MODEL("no GPU of a wanted model on this node", false),
  INDIVISIBLE("gpu-mem can't be divided evenly over the wanted number of GPUs", false),
  INIT_ON_SEVERAL("gpu-mem of an init container can't be spread over several GPUs", false),
  TOO_FEW_DEVICES("fewer GPUs than the pod wants on this node", false),
  TOO_LARGE("gpu-mem request is larger than any one GPU of this node", false),
  CLOSED("the GPUs of this node that could take the pod are unhealthy or cordoned", false),
  TOO_LITTLE("not enough free gpu-mem on this node", true),
  FRAGMENTED("enough free gpu-mem on this node, but not on one GPU", false),
  UNLIKE("a pod with the same gpu-mem request but another GPU choice is just starting here", false);

  private final String text;
  private final boolean curable;

  Refusal(String text, boolean curable) {
    this.text = text;
    this.curable = curable;
  }

  public String text() {
    return text;
  }

  /**
   * Whether evicting pods by their sum, which is all that kube-scheduler's preemption does, could
   * cure it.
   */
  public boolean isCurableByPreemption() {
    return curable;
  }
}
