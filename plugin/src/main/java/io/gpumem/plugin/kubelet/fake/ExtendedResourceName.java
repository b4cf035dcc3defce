package io.gpumem.plugin.kubelet.fake;

import java.util.regex.Pattern;

/**
 * Kubernetes' rule for the name of an extended resource (pkg/apis/core/v1/helper,
 * IsExtendedResourceName): a domain of one's own, a slash and a short name, such that the quota's
 * key {@code requests.<name>} is a qualified name too.
 */
final class ExtendedResourceName {
  private static final String QUOTA_PREFIX = "requests.";
  private static final int LONGEST_DOMAIN = 253;
  private static final int LONGEST_LABEL = 63;
  private static final Pattern DOMAIN =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?");

  private ExtendedResourceName() {}

  static boolean isLegal(String text) {
    int slash = text.indexOf('/');
    if (slash < 0 || text.contains("kubernetes.io/") || text.startsWith(QUOTA_PREFIX)) {
      return false;
    }
    String domain = QUOTA_PREFIX + text.substring(0, slash);
    String name = text.substring(slash + 1);
    return domain.length() <= LONGEST_DOMAIN
        && DOMAIN.matcher(domain).matches()
        && name.length() <= LONGEST_LABEL
        && NAME.matcher(name).matches();
  }
}
