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

  /** A key's name part has at most 63 characters, and the longest of our suffixes has 15. */
  private static final int LONGEST_NAME = 63 - ".largest-device".length();

  private static final int LONGEST_SLUG = 30;

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
    if (domain.equals("kubernetes.io") || domain.endsWith(".kubernetes.io")) {
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

  /** Node label: {@code true} for each model that the node has. */
  public String modelLabel(String model) {
    return modelLabelPrefix() + slug(model);
  }

  /** What every model's label begins with. */
  public String modelLabelPrefix() {
    return resource + ".model-";
  }

  /**
   * A model's name as part of a label key: lower case, every run of other characters than letters
   * and digits one hyphen, none at the ends, cut to {@value #LONGEST_SLUG} characters.
   */
  public static String slug(String model) {
    String hyphens = model.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    String cut = hyphens.substring(0, Math.min(hyphens.length(), LONGEST_SLUG + 1));
    String trimmed = cut.replaceAll("^-+", "");
    trimmed = trimmed.substring(0, Math.min(trimmed.length(), LONGEST_SLUG));
    trimmed = trimmed.replaceAll("-+$", "");
    return trimmed.isEmpty() ? "unknown" : trimmed;
  }
}
