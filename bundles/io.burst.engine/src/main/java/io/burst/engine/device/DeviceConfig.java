package io.burst.engine.device;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** The configuration {@code io.burst.device~NAME} of one device. */
@ObjectClassDefinition(name = "BURST device", description = "A RoCEv2 device on a network interface or an address")
@interface DeviceConfig {

  @AttributeDefinition(description = "packet: a network interface, needs CAP_NET_RAW; udp: a socket, needs none")
  String port() default "packet";

  @AttributeDefinition(name = "interface", description = "The network interface of a packet port")
  String inter$face() default "";

  @AttributeDefinition(description = "The address of a udp port; a packet port takes all of its interface if empty")
  String address() default "";

  @AttributeDefinition(description = "Probability 0 to 1 that a sent packet is lost; a test aid, like all fault.*")
  double fault_drop() default 0;

  @AttributeDefinition(description = "Probability 0 to 1 that a sent packet is sent twice")
  double fault_duplicate() default 0;

  @AttributeDefinition(description = "Probability 0 to 1 that a sent packet is overtaken by later ones")
  double fault_reorder() default 0;

  @AttributeDefinition(description = "Probability 0 to 1 that a bit of a sent packet is flipped")
  double fault_corrupt() default 0;

  @AttributeDefinition(description = "Probability 0 to 1 that a sent packet is held back for fault.delay.ns")
  double fault_delay() default 0;

  @AttributeDefinition(description = "Nanoseconds that a delayed packet is held back")
  long fault_delay_ns() default 1_000_000;

  @AttributeDefinition(description = "Seed of the faults")
  long fault_seed() default 1;
}
