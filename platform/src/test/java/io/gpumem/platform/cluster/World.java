package io.gpumem.platform.cluster;

import java.util.Map;
import java.util.Optional;

/** What happens in a cluster besides us: a test's hands on the API server, real or standing in. */
interface World extends AutoCloseable {

  /** Where the code under test finds the server. */
  ClusterSettings.Access access();

  /** A namespace of this test's own. */
  String namespace();

  /** A name that no other test uses, for objects outside the namespace. */
  String unique(String stem);

  /** A pending pod with one container. */
  default PodRef createPod(String name) {
    return createPod(name, Map.of());
  }

  /** A pending pod with these annotations. */
  PodRef createPod(String name, Map<String, String> annotations);

  /** A pod that no scheduler may bind yet. */
  PodRef createGatedPod(String name);

  /** A pod that stays when it is deleted. */
  PodRef createHeldPod(String name);

  /** Deletes; the pod is gone after this, unless it is held. */
  void deletePod(PodRef pod);

  /** Lets a held pod go. */
  void releasePod(PodRef pod);

  void annotatePod(PodRef pod, String key, String value);

  /** The pod has run to its end. */
  void endPod(PodRef pod);

  void createNode(String name, Map<String, String> labels);

  void labelNode(String name, String key, Optional<String> value);

  /** How many events of this reason are about the object of this name. */
  int events(String namespace, String about, String reason);

  @Override
  void close();
}
