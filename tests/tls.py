"""TLS before a server that speaks none: a certificate of its own making, and a proxy that shows it."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.proxy import CHUNK
from tests.servers import HOST


def make_certificate(folder: Path) -> Path:
    """Write a key and a certificate for the loopback, signed by itself, into one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    start = datetime.now(UTC) - timedelta(hours=1)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address(HOST))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    path = folder / "server.pem"
    path.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain) + certificate.public_bytes(pem))
    return path


@contextlib.contextmanager
def tls_before(target: int, certificate: Path) -> Iterator[int]:
    """Give a port that speaks TLS and passes what it is told on to another one."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    listener = socket.create_server((HOST, 0))
    thread = threading.Thread(target=_serve, args=(listener, context, target), daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def _serve(listener: socket.socket, context: ssl.SSLContext, target: int) -> None:
    with contextlib.suppress(OSError):
        while True:
            client, _ = listener.accept()
            threading.Thread(target=_serve_one, args=(client, context, target), daemon=True).start()


def _serve_one(client: socket.socket, context: ssl.SSLContext, target: int) -> None:
    with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
        secured = stack.enter_context(context.wrap_socket(stack.enter_context(client), server_side=True))
        server = stack.enter_context(socket.create_connection((HOST, target)))
        back = threading.Thread(target=_pass_on, args=(server, secured), daemon=True)
        back.start()
        _pass_on(secured, server)
        server.shutdown(socket.SHUT_RDWR)
        back.join()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(CHUNK):
            sink.sendall(data)
