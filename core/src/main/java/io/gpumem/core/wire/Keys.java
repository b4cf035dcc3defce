package io.gpumem.core.wire;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Every annotation and label key, once. All derive from the configured resource name, so that two
 * installations with unlike names do not meet.
 */
public record Keys(String resource) {

  public static final String DEFAULT_RESOURCE = "example.com/gpu-mem";

  /** What Kubernetes allows for the name part of a label's or annotation's key. */
  private static final int LONGEST_KEY_NAME = 63;

  private static final String MODEL_SUFFIX = ".model-";

  /** Models are told apart by their label, so that much of a model's name must have room in it. */
  private static final int SHORTEST_CUT = 30;

  private static final int LONGEST_NAME = LONGEST_KEY_NAME - MODEL_SUFFIX.length() - SHORTEST_CUT;

  private static final Pattern DOMAIN =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?");

  public Keys {
    Optional<String> problem = problem(resource);
    if (problem.isPresent()) {
      throw new IllegalArgumentException(problem.get());
    }
  }

  /**
   * Why a text can't be our resource's name; empty when it can. The rules are those of extended
   * resources (IsExtendedResourceName), and that the longest key made of it is legal.
   */
  public static Optional<String> problem(String resource) {
    int slash = resource.indexOf('/');
    if (slash < 1) {
      return Optional.of(
          "expected a name such as example.com/gpu-mem but was \"" + resource + "\"");
    }
    String domain = resource.substring(0, slash);
    String name = resource.substring(slash + 1);
    // Kubernetes looks for the text "kubernetes.io/" anywhere, so mykubernetes.io is its own, too.
    if (domain.endsWith("kubernetes.io")) {
      return Optional.of("the domain of \"" + resource + "\" belongs to Kubernetes itself");
    }
    boolean legalDomain = domain.length() <= 244 && DOMAIN.matcher(domain).matches();
    if (!legalDomain || resource.startsWith("requests.")) {
      return Optional.of("\"" + domain + "\" is no domain name that a resource may have");
    }
    if (name.length() > LONGEST_NAME || !NAME.matcher(name).matches()) {
      return Optional.of(
          "\"" + name + "\" must be letters, digits and -_. and at most " + LONGEST_NAME + " long");
    }
    return Optional.empty();
  }

  /** Node annotation: the inventory. */
  public String devices() {
    return resource + ".devices";
  }

  /** Node annotation: the kubelet's table. */
  public String allocations() {
    return resource + ".allocations";
  }

  /** Node annotation: one line for a person. */
  public String summary() {
    return resource + ".summary";
  }

  /** Node annotation, written by an admin: devices that get no new pods. */
  public String cordon() {
    return resource + ".cordon";
  }

  /** Pod annotation: the extender's plan. */
  public String reservation() {
    return resource + ".reservation";
  }

  /** Pod annotation, written by a user: binpack or spread. */
  public String policy() {
    return resource + ".policy";
  }

  /** Pod annotation, written by a user: devices for one container's units. */
  public String deviceCount() {
    return resource + ".device-count";
  }

  /** Pod annotation, written by a user: wanted models. */
  public String model() {
    return resource + ".model";
  }

  /** Node label: the unit. Every node with a plugin has it. */
  public String unitLabel() {
    return resource + ".unit";
  }

  /** Node label: units of the largest device. */
  public String largestDeviceLabel() {
    return resource + ".largest-device";
  }

  /**
   * Node label: {@code true} for each model that the node has. The model's name is in the key, in
   * lower case, every run of other characters than letters and digits one hyphen, none at the ends,
   * cut where the key would become longer than Kubernetes allows.
   */
  public String modelLabel(String model) {
    String prefix = modelLabelPrefix();
    int room = LONGEST_KEY_NAME - (prefix.length() - prefix.indexOf('/') - 1);
    return prefix + slug(model, room);
  }

  /** What every model's label begins with. */
  public String modelLabelPrefix() {
    return resource + MODEL_SUFFIX;
  }

  private static String slug(String model, int longest) {
    String hyphens = model.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    String from = hyphens.startsWith("-") ? hyphens.substring(1) : hyphens;
    String cut = from.substring(0, Math.min(from.length(), longest));
    String slug = cut.endsWith("-") ? cut.substring(0, cut.length() - 1) : cut;
    return slug.isEmpty() ? "unknown" : slug;
  }
}
