// kingpin.
package main

import (
	"fmt"

	"gopkg.in/alecthomas/kingpin.v2"
)

func main() {
	debug := kingpin.Flag("debug", "Enables debug mode.").Bool()
	timeout := kingpin.Flag("timeout", "Timeout waiting for ping.").Default("5s").Short('t').Duration()
	proto := kingpin.Flag("proto", "Protocol.").Required().Enum("icmp", "udp")
	ip := kingpin.Arg("ip", "Address to ping.").Required().IP()
	count := kingpin.Arg("count", "Number of packets to send.").Int()
	kingpin.Version("1.4.0")
	kingpin.Parse()
	fmt.Println(*debug, *timeout, *proto, *ip, *count)
}
