/** The copy engine that is there when no other is. */
package io.burst.engine.copy;
