/** The command line programs: each an OSGi service that {@code bin/burst NAME} finds by its name and calls. */
package io.burst.tools;
