//! Creates sockets. Wasmtime's implementation creates as many as there are handles. Here each
//! socket takes a lease, datagrams are refused, and no guest binds a socket to an address.
//!
//! Connecting itself is wasmtime's; the check of each address is in `net.rs` and is installed in
//! `state.rs`. No grant lets a guest listen.

use std::net::SocketAddr;

use wasmtime::StoreContextMut;
use wasmtime::component::{HasData, Linker, Resource};
use wasmtime_wasi::p2::bindings::sockets::network::{self, ErrorCode, IpAddressFamily, IpSocketAddress};
use wasmtime_wasi::p2::bindings::sockets::{tcp_create_socket, udp_create_socket};
use wasmtime_wasi::p2::{Network, SocketError, SocketResult, TcpSocket, UdpSocket};
use wasmtime_wasi::sockets::WasiSocketsView;

use crate::access_denied::{DeniedAction, DeniedReason};
use crate::state::GuestState;

struct SocketsHost;

impl HasData for SocketsHost {
    type Data<'a> = &'a mut GuestState;
}

pub(super) fn link(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    tcp_create_socket::add_to_linker::<GuestState, SocketsHost>(linker, |state| state)?;
    udp_create_socket::add_to_linker::<GuestState, SocketsHost>(linker, |state| state)?;
    linker.allow_shadowing(true);
    linker.instance("wasi:sockets/tcp@0.2.12")?.func_wrap("[method]tcp-socket.start-bind", bind)?;
    linker.allow_shadowing(false);
    Ok(())
}

type BindResult = (Result<(), ErrorCode>,);

/// Refuses to bind: a connection takes a free port by itself, and guests never listen.
fn bind(
    mut store: StoreContextMut<'_, GuestState>,
    (_, _, address): (Resource<TcpSocket>, Resource<Network>, IpSocketAddress),
) -> wasmtime::Result<BindResult> {
    store.data_mut().audit.refuse(DeniedAction::Listen(SocketAddr::from(address)), DeniedReason::Never);
    Ok((Err(ErrorCode::AccessDenied),))
}

/// How errors are reported for both ways of creating a socket.
impl network::Host for GuestState {
    fn convert_error_code(&mut self, error: SocketError) -> wasmtime::Result<ErrorCode> {
        error.downcast()
    }

    fn network_error_code(
        &mut self,
        error: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        network::Host::network_error_code(&mut self.sockets(), error)
    }
}

impl network::HostNetwork for GuestState {
    fn drop(&mut self, network: Resource<network::Network>) -> wasmtime::Result<()> {
        network::HostNetwork::drop(&mut self.sockets(), network)
    }
}

impl tcp_create_socket::Host for GuestState {
    fn create_tcp_socket(&mut self, family: IpAddressFamily) -> SocketResult<Resource<TcpSocket>> {
        // The engine does not report dropped sockets, so dropped ones are found when the next one
        // is made.
        let table = &self.table;
        self.sockets.retain(|rep, _| table.get(&Resource::<TcpSocket>::new_borrow(*rep)).is_ok());
        let lease = self.net.lease().ok_or(ErrorCode::NewSocketLimit)?;
        let socket = tcp_create_socket::Host::create_tcp_socket(&mut self.sockets(), family)?;
        self.sockets.insert(socket.rep(), lease);
        Ok(socket)
    }
}

impl udp_create_socket::Host for GuestState {
    async fn create_udp_socket(&mut self, _: IpAddressFamily) -> SocketResult<Resource<UdpSocket>> {
        self.audit.refuse(DeniedAction::Datagrams, DeniedReason::Never);
        Err(ErrorCode::AccessDenied.into())
    }
}
