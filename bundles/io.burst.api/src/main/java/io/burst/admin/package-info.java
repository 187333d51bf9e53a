/** What administrators see: views of what runs, counters, and the packet decoder. */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.0.0")
package io.burst.admin;
