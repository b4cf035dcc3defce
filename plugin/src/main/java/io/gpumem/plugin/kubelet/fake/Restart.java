package io.gpumem.plugin.kubelet.fake;

/**
 * How a kubelet goes down and comes up again. All pods are re-admitted in order of creation.
 *
 * @param checkpoint what becomes of its checkpoint file
 * @param containers what it sees of them when it comes up
 * @param readmission whether plugins get a chance to register first; on a real node they seldom do
 */
public record Restart(Checkpoint checkpoint, Containers containers, Readmission readmission) {

  /** The fate of the checkpoint file. */
  public enum Checkpoint {
    KEPT,
    /** Gone; the node's extended resources are set to zero. */
    MISSING,
    /** Unreadable: the kubelet logs it and goes on with an empty table. */
    CORRUPT
  }

  /** The containers, as the starting kubelet sees them. */
  public enum Containers {
    /** Running ones are seen running. */
    SEEN,
    /** The container runtime does not answer at that moment; the containers run on. */
    UNSEEN,
    /** The machine was rebooted: nothing runs, admitted pods are started again. */
    REBOOTED
  }

  /** The moment of re-admission. */
  public enum Readmission {
    AT_ONCE,
    /** After the first list message of a plugin. */
    AFTER_REGISTRATION
  }

  /** The kubelet's process alone is restarted, and everything else is well. */
  public static Restart plain() {
    return new Restart(Checkpoint.KEPT, Containers.SEEN, Readmission.AT_ONCE);
  }

  public static Restart reboot() {
    return new Restart(Checkpoint.KEPT, Containers.REBOOTED, Readmission.AT_ONCE);
  }

  public Restart withCheckpoint(Checkpoint value) {
    return new Restart(value, containers, readmission);
  }

  public Restart withRuntimeUnseen() {
    return new Restart(checkpoint, Containers.UNSEEN, readmission);
  }

  public Restart readmittingAfterRegistration() {
    return new Restart(checkpoint, containers, Readmission.AFTER_REGISTRATION);
  }
}
