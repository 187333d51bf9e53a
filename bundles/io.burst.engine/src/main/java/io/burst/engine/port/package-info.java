/** The engine's packet ports: between the transport and the kernel's sockets. */
package io.burst.engine.port;
