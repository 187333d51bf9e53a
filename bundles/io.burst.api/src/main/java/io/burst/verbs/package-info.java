/** What applications use: the RDMA verbs as Java types, each named with its ibv counterpart. */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.0.0")
package io.burst.verbs;
