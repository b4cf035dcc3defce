/**
 * The kubelet's side of the plugin: two sockets, the device list, registration. The only package
 * that knows the kubelet's protobuf types.
 */
@NullMarked
package io.gpumem.plugin.kubelet;

import org.jspecify.annotations.NullMarked;
