//! Control groups that wait for their share of the processors.

use crate::{asked, because, commands, first};

const LOG: &str = "pod-a$ iperf3 -c 10.244.3.9 -t 5
Connecting to host 10.244.3.9, port 5201
[  5] local 10.244.1.7 port 40110 connected to 10.244.3.9 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec   231 MBytes  1.94 Gbits/sec    0   3.12 MBytes
[  5]   1.00-2.00   sec   222 MBytes  1.86 Gbits/sec    0   3.12 MBytes
[  5]   2.00-3.00   sec   229 MBytes  1.92 Gbits/sec    0   3.12 MBytes
[  5]   3.00-4.00   sec   218 MBytes  1.83 Gbits/sec    0   3.12 MBytes
[  5]   4.00-5.00   sec   227 MBytes  1.90 Gbits/sec    0   3.12 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-5.00   sec  1.10 GBytes  1.89 Gbits/sec    0             sender
[  5]   0.00-5.00   sec  1.10 GBytes  1.89 Gbits/sec                  receiver
";

fn stat(host: &str, periods: u32, throttled: u32) -> String {
    format!(
        "{host}$ cat /sys/fs/cgroup/cpu.stat\nusage_usec 8812331\nuser_usec 812331\nsystem_usec 8000000\nnr_periods {periods}\nnr_throttled {throttled}\nthrottled_usec 39912331\n"
    )
}

const LIMIT: &str = "pod-a$ cat /sys/fs/cgroup/cpu.max\n20000 100000\n";

/// 498 of 512 periods: the group holds the flow though its processors are idle.
#[test]
fn a_group_that_waits_is_limited_though_its_processors_are_idle() {
    let idle = "pod-a$ mpstat -P ALL 2 1
12:01:10     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
12:01:12       0    1.00    0.00   14.00    0.00    0.00    0.00    0.00    0.00    0.00   85.00
12:01:12       1    0.00    0.00    2.00    0.00    0.00    0.00    0.00    0.00    0.00   98.00
";
    for beside in ["", idle] {
        let flow = first(&format!("{LOG}{LIMIT}{}{beside}", stat("pod-a", 512, 498)));
        let verdict = &flow.verdict;
        assert_eq!(verdict.cause, "host_cpu", "{verdict:#?}");
        // The counters are of all the time since the group was made.
        assert!(verdict.confidence <= 0.8, "{verdict:#?}");
        let why = because(&flow);
        let said = "the sender's control group used up its share of the processors and waited in 498 of 512 periods";
        assert!(why.contains(said), "{why}");
        assert!(why.contains("it may use 0.20 processors"), "{why}");
        assert_eq!(flow.changes[0].host, "10.244.1.7");
        let commands = commands(&flow);
        assert!(commands.contains("resources.limits.cpu"), "{commands}");
        assert!(!commands.contains("ethtool"), "{commands}");
    }
    let flow = first(&format!(
        "{}{LOG}{LIMIT}{}",
        stat("pod-a", 462, 450),
        stat("pod-a", 512, 498)
    ));
    let verdict = &flow.verdict;
    assert_eq!(verdict.cause, "host_cpu", "{verdict:#?}");
    assert!(verdict.confidence > 0.8, "{verdict:#?}");
    assert!(
        because(&flow).contains("in 48 of 50 periods"),
        "{verdict:#?}"
    );
}

/// The same by the files of version 1, which are changed by their own names.
#[test]
fn a_group_of_version_1_is_changed_in_its_own_file() {
    let limit = "pod-a$ cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu/cpu.cfs_period_us\n20000\n100000\n";
    let stat = "pod-a$ cat /sys/fs/cgroup/cpu/cpu.stat\nnr_periods 512\nnr_throttled 498\nthrottled_time 39912331000\n";
    let flow = first(&format!("{LOG}{limit}{stat}"));
    assert_eq!(flow.verdict.cause, "host_cpu", "{:#?}", flow.verdict);
    let why = because(&flow);
    let says = "it may use 0.20 processors (cpu.cfs_quota_us)";
    assert!(why.contains(says), "{why}");
    let commands = commands(&flow);
    assert!(
        commands.contains("echo \"-1\" > /sys/fs/cgroup/cpu/GROUP/cpu.cfs_quota_us"),
        "{commands}"
    );
}

/// A group that hardly waits, and one of a host that is neither end by its prompt, hold nothing.
#[test]
fn a_group_that_hardly_waits_or_is_of_another_host_is_not_blamed() {
    for counted in [stat("pod-a", 512, 12), stat("mon", 512, 498)] {
        let flow = first(&format!("{LOG}{counted}"));
        assert_ne!(flow.verdict.cause, "host_cpu", "{:#?}", flow.verdict);
    }
}

/// The processors of a host that no text ties to the flow are idle: that held what is said of the group to 60 %.
#[test]
fn an_idle_host_that_nothing_ties_to_the_flow_leaves_the_group() {
    let idle = "h$ mpstat -P ALL 2 1
12:01:10     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
12:01:12       0    1.00    0.00   14.00    0.00    0.00    0.00    0.00    0.00    0.00   85.00
12:01:12       1    0.00    0.00    2.00    0.00    0.00    0.00    0.00    0.00    0.00   98.00
";
    let flow = first(&format!(
        "{}{LOG}{LIMIT}{}{idle}",
        stat("pod-a", 462, 450),
        stat("pod-a", 512, 498)
    ));
    assert_eq!(flow.verdict.cause, "host_cpu", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence > 0.8, "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(!why.contains("no text ties"), "{why}");
}

/// What runs in a container or on another host by a command that names it is of that one.
#[test]
fn a_group_is_of_the_container_that_its_command_names() {
    let plain = format!(
        "{LOG}{}{LIMIT}{}",
        stat("pod-a", 462, 450),
        stat("pod-a", 512, 498)
    );
    for runs in [
        "kubectl exec pod-a -- ",
        "kubectl -n shop exec -it pod/pod-a -c app -- ",
        "docker exec pod-a ",
        "sleep 30; ssh -q root@pod-a ",
    ] {
        let flow = first(&plain.replace("pod-a$ ", &format!("$ {runs}")));
        assert_eq!(
            flow.verdict.cause, "host_cpu",
            "{runs}: {:#?}",
            flow.verdict
        );
        let said = "the sender's control group used up its share of the processors and waited in 48 of 50 periods";
        assert!(because(&flow).contains(said), "{runs}: {}", because(&flow));
    }
}

/// A download names an address, and its group a pod: the table of pods ties both. Without it, whose group it is comes first.
#[test]
fn a_table_of_pods_says_which_end_a_group_is() {
    let fetch = "$ curl -o /dev/null http://10.244.3.17:8080/blob
  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current
                                 Dload  Upload   Total   Spent    Left  Speed
100 2048M  100 2048M    0     0  60.2M      0  0:00:34  0:00:34 --:--:-- 60.4M
";
    let table = "$ kubectl get pod api-7 -o wide
NAME    READY   STATUS    RESTARTS   AGE   IP            NODE    NOMINATED NODE   READINESS GATES
api-7   1/1     Running   0          3d    10.244.3.17   node4   <none>           <none>
";
    let counted = stat("pod-a", 2011, 1903);
    let counted = counted.replace("pod-a$ ", "$ kubectl exec api-7 -- ");
    let why = because(&first(&format!("{fetch}{table}{counted}")));
    assert!(why.contains("the sender's control group used up"), "{why}");
    let flow = first(&format!("{fetch}{counted}"));
    assert_eq!(asked(&flow).first(), Some(&"group_host"), "{flow:#?}");
}

/// A request names the address of a pod, and has no rate: the group of that pod is what its answer waits for.
#[test]
fn a_group_of_the_server_that_a_late_request_asks_is_named() {
    let counted = stat("pod-a", 2011, 1903);
    let inside = counted.replace("pod-a$ ", "$ kubectl exec api-7 -- ");
    let table = "$ kubectl get pod api-7 -o wide
NAME    READY   STATUS    RESTARTS   AGE   IP            NODE    NOMINATED NODE   READINESS GATES
api-7   1/1     Running   0          3d    10.244.3.17   node4   <none>           <none>
";
    let prompt = "root@api-7:/# ";
    let here = counted.replace("pod-a$ ", prompt);
    let own = format!("{prompt}hostname -I\n10.244.3.17 \n{here}");
    let request = |address: &str| {
        format!(
            "$ curl -s -o /dev/null -w 'dns %{{time_namelookup}} conn %{{time_connect}} ttfb %{{time_starttransfer}} total %{{time_total}}\\n' http://{address}:8080/q\ndns 0.000019 conn 0.000412 ttfb 0.381120 total 0.381300\n"
        )
    };
    let asks = request("10.244.3.17");
    for text in [
        format!("{inside}{table}{asks}"),
        format!("{own}{asks}"),
        // It waits for more than a second: the group is why.
        format!("{inside}{table}{asks}").replace(" 0.381", " 3.381"),
    ] {
        let flow = first(&text);
        assert_eq!(
            flow.verdict.cause, "host_cpu",
            "{text}: {:#?}",
            flow.verdict
        );
        assert!(flow.verdict.confidence >= 0.6, "{:#?}", flow.verdict);
        let why = because(&flow);
        let says = "the control group of the server, api-7, used up its share of the processors and waited in 1903 of 2011 periods";
        assert!(why.contains(says), "{why}");
        let late = "passed before the first byte of its answer, beyond one round trip";
        assert!(why.contains(late), "{why}");
        assert_eq!(flow.changes[0].host, "api-7");
        let commands = commands(&flow);
        assert!(commands.contains("resources.limits.cpu"), "{commands}");
        assert_eq!(asked(&flow), ["throttled_now"], "{text}");
    }
    // Of another server it says nothing.
    let other = first(&format!("{inside}{table}{}", request("10.244.9.9")));
    assert_ne!(other.verdict.cause, "host_cpu", "{:#?}", other.verdict);
}

/// The prompt of a container may name no host: that it is the test's, before and after it, says whose group was read.
#[test]
fn a_group_that_was_read_at_the_prompt_of_a_test_around_it_is_of_that_end() {
    let around = format!(
        "{LIMIT}{}{LOG}{}",
        stat("pod-a", 462, 450),
        stat("pod-a", 512, 498)
    );
    let at = |prompt: &str, text: &str| text.replace("pod-a$ ", prompt);
    let flow = first(&at("/ # ", &around));
    let verdict = &flow.verdict;
    assert_eq!(verdict.cause, "host_cpu", "{verdict:#?}");
    assert!((0.7..=0.8).contains(&verdict.confidence), "{verdict:#?}");
    let said = "the sender's control group, which was read at the prompt of the test before and after it, used up its share of the processors and waited in 48 of 50 periods";
    assert!(because(&flow).contains(said), "{}", because(&flow));
    assert!(asked(&flow).contains(&"group_host"), "{:?}", asked(&flow));
    // Before the test alone, at a prompt without anything, and at another one it may be of any host.
    let before = format!("{LIMIT}{}{LOG}", stat("pod-a", 512, 498));
    let apart = at("/app # ", &around).replace("/app # iperf3", "/ # iperf3");
    for text in [at("/ # ", &before), at("$ ", &around), apart] {
        let flow = first(&text);
        assert_ne!(flow.verdict.cause, "host_cpu", "{text}");
        let why = because(&flow);
        assert!(!why.contains("the prompt of the test"), "{why}");
    }
}

/// A shell that was opened in a pod names it, and the table of pods its address.
#[test]
fn what_is_typed_in_a_shell_of_a_pod_is_of_that_pod() {
    let table = "$ kubectl get pod api-7 -o wide
NAME    READY   STATUS    RESTARTS   AGE   IP           NODE    NOMINATED NODE   READINESS GATES
api-7   1/1     Running   0          3d    10.244.1.7   node4   <none>           <none>
$ kubectl exec -it api-7 -- sh
";
    let around = format!(
        "{}{LIMIT}{LOG}{}",
        stat("pod-a", 462, 450),
        stat("pod-a", 512, 498)
    );
    let flow = first(&format!("{table}{}", around.replace("pod-a$ ", "/ # ")));
    assert_eq!(flow.verdict.cause, "host_cpu", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence > 0.8, "{:#?}", flow.verdict);
    let said = "the sender's control group used up its share of the processors and waited in 48 of 50 periods";
    assert!(because(&flow).contains(said), "{}", because(&flow));
}
