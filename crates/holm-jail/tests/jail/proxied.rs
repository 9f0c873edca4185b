//! A network whose only way out is a listener that the caller serves.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use holm_jail::{CaptureOptions, JailError, JailNetwork, StartStage};

use crate::cell::{self, Cell, Way};

/// Tries what is there to be reached, a line each.
const SCRIPT: &str = r"
import ctypes, os, socket
def tried(what):
    try:
        return what() or 'closed'
    except OSError as error:
        return 'refused ' + str(error.errno)
def connected(family, address):
    s = socket.socket(family, socket.SOCK_STREAM)
    s.settimeout(10)
    s.connect(address)
    s.sendall(b'hello')
    return s.recv(100).decode()
def sent(address):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(0.2)
    s.sendto(b'x', address)
    return s.recv(100).decode()
port, udp = int(os.environ['TCP']), int(os.environ['UDP'])
print('proxy', tried(lambda: connected(socket.AF_INET, ('127.0.0.1', 3128))))
print('service', tried(lambda: connected(socket.AF_INET, ('127.0.0.1', port))))
print('mapped', tried(lambda: connected(socket.AF_INET6, ('::ffff:127.0.0.1', port))))
print('datagram', tried(lambda: sent(('127.0.0.1', udp))))
print('elsewhere', tried(lambda: connected(socket.AF_INET, ('203.0.113.1', 443))))
print('name', tried(lambda: socket.getaddrinfo('example.com', 443)[0][4][0]))
print('server', tried(lambda: sent(('8.8.8.8', 53))))
for family in (socket.AF_INET, socket.AF_INET6):
    print('raw', tried(lambda: str(socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_ICMP))))
print('packet', tried(lambda: str(socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0x0300))))
print('local', tried(lambda: str(socket.socket(socket.AF_UNIX))))
print('namespace', ctypes.CDLL(None).unshare(0x40000000))
";

#[tokio::test]
async fn a_proxied_network_has_one_way_out_and_it_is_the_callers() {
    for way in [Way::Bubblewrap, Way::Landlock] {
        let cell = Cell::new(way);
        let service = TcpListener::bind("127.0.0.1:0").unwrap();
        service.set_nonblocking(true).unwrap();
        let datagrams = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        datagrams.set_nonblocking(true).unwrap();
        let jail = cell
            .jail()
            .network(JailNetwork::Proxied)
            .env("TCP", service.local_addr().unwrap().port().to_string())
            .env("UDP", datagrams.local_addr().unwrap().port().to_string());
        let mut job = cell.spawn(&jail, &cell::python(SCRIPT)).await;
        let listener = job.take_listener().expect("a listener");
        assert!(job.take_listener().is_none(), "{way:?}: there is one");
        let answered = tokio::task::spawn_blocking(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut said = [0; 5];
            stream.read_exact(&mut said).unwrap();
            stream.write_all(b"through").unwrap();
            said
        });
        let outcome = job.finish(CaptureOptions::default()).await;
        let said = cell::text(&outcome.stdout.bytes);
        let mut lines = said.lines();
        assert_eq!(lines.next(), Some("proxy through"), "{way:?}: {outcome:?}");
        assert_eq!(&answered.await.unwrap(), b"hello", "{way:?}");
        let rest: Vec<&str> = lines.collect();
        assert_eq!(rest.len(), 11, "{way:?}: {outcome:?}");
        for line in rest {
            assert!(line.contains(" refused ") || line == "namespace -1", "{way:?}: {line}");
        }
        assert!(service.accept().is_err() && datagrams.recv(&mut [0; 8]).is_err(), "{way:?}");
    }
}

#[tokio::test]
async fn without_a_namespace_a_proxied_network_is_refused_and_nothing_runs() {
    let cell = Cell::new(Way::LandlockAlone);
    let jail = cell.jail().network(JailNetwork::Proxied);
    let refused = cell.try_spawn(&jail, &cell::shell("touch ran")).await.map(|_| ());
    assert!(matches!(refused, Err(JailError::Start { stage: StartStage::Network, .. })), "{refused:?}");
    assert!(!cell.path("work/ran").exists());
}

#[tokio::test]
async fn other_networks_have_no_listener_to_take() {
    let cell = Cell::new(Way::Landlock);
    for network in [JailNetwork::None, JailNetwork::Open] {
        let mut job = cell.spawn(&cell.jail().network(network), &cell::shell(":")).await;
        assert!(job.take_listener().is_none(), "{network:?}");
        job.finish(CaptureOptions::default()).await;
    }
}
