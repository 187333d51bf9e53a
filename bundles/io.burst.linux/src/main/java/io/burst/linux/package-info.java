/** Every native call of BURST and the one class for off-heap access; knows nothing of RDMA. */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.0.0")
package io.burst.linux;
