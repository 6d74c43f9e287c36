// The reference dumbbell on ns-3: ten CUBIC flows share 1 Gb/s for a number of simulated seconds.
//
// Written for this comparison against ns-3's public interface. ns-3 is GPL-2.0-only, so a program
// linked with it is too; nothing in farpath links with it, includes it or is derived from it.
//
//   source --10 Gb/s, 5 ms + i x 53 us-- left --1 Gb/s, 40 ms-- right --10 Gb/s, 5 ms-- sink
//
// A packet-hop is one packet received by a point-to-point device, data and acknowledgements alike.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <chrono>
#include <cstdint>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <string>

using namespace ns3;

namespace
{

constexpr uint32_t MTU_BYTES = 1500;
constexpr uint32_t MSS_BYTES = MTU_BYTES - 20 - 20 - 12; // IPv4, TCP, timestamps
constexpr uint64_t BOTTLENECK_BPS = 1'000'000'000;
constexpr uint64_t BDP_BYTES = BOTTLENECK_BPS / 8 / 10; // x 100 ms
constexpr uint16_t PORT = 5001;

uint64_t g_hops = 0;
uint64_t g_drops = 0;

void
CountHop(Ptr<const Packet>)
{
    ++g_hops;
}

void
CountDrop(Ptr<const Packet>)
{
    ++g_drops;
}

void
SetTransport(uint32_t socketBuffer)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpCubic::GetTypeId()));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(MSS_BYTES));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(socketBuffer));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(socketBuffer));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
}

NetDeviceContainer
Join(Ptr<Node> a, Ptr<Node> b, uint64_t bps, Time delay, uint64_t queueBytes)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(bps)));
    link.SetDeviceAttribute("Mtu", UintegerValue(MTU_BYTES));
    link.SetChannelAttribute("Delay", TimeValue(delay));
    link.SetQueue("ns3::DropTailQueue<Packet>",
                  "MaxSize",
                  QueueSizeValue(QueueSize(QueueSizeUnit::BYTES, queueBytes)));
    NetDeviceContainer devices = link.Install(a, b);
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        devices.Get(i)->TraceConnectWithoutContext("PhyRxEnd", MakeCallback(&CountHop));
        auto device = DynamicCast<PointToPointNetDevice>(devices.Get(i));
        device->GetQueue()->TraceConnectWithoutContext("Drop", MakeCallback(&CountDrop));
    }
    return devices;
}

/// Gives both ends an address and takes away the queue discipline that comes with it: the device's
/// own drop-tail queue is the only one, as in the other simulator.
Ipv4InterfaceContainer
GiveAddresses(const NetDeviceContainer& devices, Ipv4AddressHelper& addresses)
{
    Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    TrafficControlHelper().Uninstall(devices);
    addresses.NewNetwork();
    return interfaces;
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t flows = 10;
    uint32_t socketBuffer = 2'000'000;
    double seconds = 10;
    CommandLine command(__FILE__);
    command.AddValue("flows", "number of CUBIC flows", flows);
    command.AddValue("buffer", "send and receive buffer of a socket, bytes", socketBuffer);
    command.AddValue("seconds", "simulated seconds", seconds);
    command.Parse(argc, argv);

    SetTransport(socketBuffer);
    NodeContainer routers(2);
    NodeContainer sources(flows);
    NodeContainer sinks(flows);
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.InstallAll();

    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    GiveAddresses(Join(routers.Get(0), routers.Get(1), BOTTLENECK_BPS, MilliSeconds(40), BDP_BYTES),
                  addresses);
    ApplicationContainer receivers;
    for (uint32_t i = 0; i < flows; ++i)
    {
        const Time access = MilliSeconds(5) + MicroSeconds(53 * i);
        GiveAddresses(Join(sources.Get(i), routers.Get(0), 10'000'000'000, access, BDP_BYTES), addresses);
        const Ipv4InterfaceContainer far = GiveAddresses(
            Join(routers.Get(1), sinks.Get(i), 10'000'000'000, MilliSeconds(5), BDP_BYTES),
                  addresses);

        BulkSendHelper sender("ns3::TcpSocketFactory", InetSocketAddress(far.GetAddress(1), PORT));
        sender.Install(sources.Get(i)).Start(Seconds(0));
        PacketSinkHelper sink("ns3::TcpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), PORT));
        receivers.Add(sink.Install(sinks.Get(i)));
    }
    receivers.Start(Seconds(0));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    const auto started = std::chrono::steady_clock::now();
    const std::clock_t cpuStarted = std::clock();
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    const double cpu = static_cast<double>(std::clock() - cpuStarted) / CLOCKS_PER_SEC;
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;

    uint64_t received = 0;
    for (uint32_t i = 0; i < receivers.GetN(); ++i)
    {
        received += DynamicCast<PacketSink>(receivers.Get(i))->GetTotalRx();
    }
    std::cout << std::setprecision(9) << "{\"hops\": " << g_hops << ", \"drops\": " << g_drops
              << ", \"cpu_s\": " << cpu << ", \"wall_s\": " << wall.count() << ", \"simulated_s\": " << seconds
              << ", \"goodput_bps\": " << std::fixed << std::setprecision(0)
              << static_cast<double>(received) * 8 / seconds << "}" << std::endl;
    Simulator::Destroy();
    return 0;
}
