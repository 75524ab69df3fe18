"""The user's certificate authority: in the state folder, its private key and the certificate for clients."""

from __future__ import annotations

import fcntl
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from mock_server.cli.output import USAGE, Stop
from mock_server.cli.port_file import replace_file

AUTHORITY_LIFE: Final = timedelta(days=3653)
LEAF_LIFE: Final = timedelta(days=397)
"""Browsers accept at most 398 days."""
SLACK: Final = timedelta(days=1)
"""Certificates start this much earlier, for clocks that are behind."""
ALWAYS: Final = ("localhost", "127.0.0.1", "::1")
SECRET_FILE: Final = "authority-key.pem"
CERTIFICATE_FILE: Final = "authority.pem"
OURS: Final = "local authority of payment-sandbox"


Pair = tuple[ec.EllipticCurvePrivateKey, x509.Certificate]


class Authority(NamedTuple):
    """A key with its certificate, the file of both, and the file of the certificate for clients."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate
    secret: Path
    public: Path

    @contextmanager
    def leaf(self, names: Sequence[str], now_ms: int) -> Iterator[str]:
        """Write a new certificate with its key for these names to a file that is removed afterwards."""
        now = datetime.fromtimestamp(now_ms / 1000, UTC)
        key = ec.generate_private_key(ec.SECP256R1())
        end = min(now - SLACK + LEAF_LIFE, self.certificate.not_valid_after_utc)
        every = list[x509.GeneralName]()
        for name in dict.fromkeys((*ALWAYS, *names)):
            try:
                every.append(x509.IPAddress(ip_address(name)))
            except ValueError:
                every.append(x509.DNSName(name))
        certificate = (
            _begun("payment-sandbox", self.certificate.subject, key, now, end, signs=False)
            .add_extension(x509.SubjectAlternativeName(every), critical=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()), critical=False)
            .sign(self.key, SHA256())
        )
        with tempfile.NamedTemporaryFile(dir=self.secret.parent, prefix="leaf-", suffix=".pem") as file:
            file.write(_pem(key) + certificate.public_bytes(Encoding.PEM))
            file.flush()
            yield file.name


def state_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of this user's authority; RuntimeError for a user without a home directory."""
    root = environ.get("XDG_STATE_HOME")
    return (Path(root) if root else Path.home() / ".local" / "state").absolute() / "payment-sandbox"


def authority(folder: Path, now_ms: int) -> Authority:
    """Return the authority, created with the first call and again when it has expired, or by a clock that was ahead.

    Raises OSError if the folder cannot be written, Stop for a file with anything else.
    """
    now = datetime.fromtimestamp(now_ms / 1000, UTC)
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)  # whatever the umask is: other containers read the certificate
    with (folder / "lock").open("ab") as lock:  # only one process at a time creates what is missing
        fcntl.flock(lock, fcntl.LOCK_EX)
        secret = folder / SECRET_FILE
        key, certificate = _read(secret) if secret.exists() else _made(secret, now)
        if not certificate.not_valid_before_utc <= now < certificate.not_valid_after_utc - SLACK:
            key, certificate = _made(secret, now)
        public = folder / CERTIFICATE_FILE
        pem = certificate.public_bytes(Encoding.PEM)
        if not public.exists() or public.read_bytes() != pem:
            replace_file(public, pem, 0o644)
    return Authority(key, certificate, secret, public)


def _made(path: Path, now: datetime) -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, OURS)])
    certificate = _begun(OURS, name, key, now, now + AUTHORITY_LIFE, signs=True).sign(key, SHA256())
    replace_file(path, _pem(key) + certificate.public_bytes(Encoding.PEM), 0o600)
    return key, certificate


def _begun(
    subject: str, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, now: datetime, end: datetime, *, signs: bool
) -> x509.CertificateBuilder:
    """The beginning of a certificate: of an authority, which signs others, or of a server."""
    usage = x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SLACK)
        .not_valid_after(end)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.BasicConstraints(ca=signs, path_length=0 if signs else None), critical=True)
        .add_extension(usage, critical=True)
    )


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _read(path: Path) -> Pair:
    data = path.read_bytes()
    try:
        key, certificate = load_pem_private_key(data, None), x509.load_pem_x509_certificate(data)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or certificate.public_key() != key.public_key():
        problem = "is not a certificate authority of payment-sandbox; remove it, and a new one is created"
        raise Stop(USAGE, [f"{path} {problem}"])
    return key, certificate
