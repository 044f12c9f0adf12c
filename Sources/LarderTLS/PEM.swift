// PEM text (RFC 7468) by way of memory BIOs, as libcrypto reads and writes it.
import CSSL
import LarderCore

enum PEM {
    /// Runs the body with a BIO that gives the bytes.
    static func reading<Result>(_ bytes: Bytes, _ body: (OpaquePointer) -> Result?) -> Result? {
        bytes.withUnsafeBytes { raw in
            guard let source = BIO_new_mem_buf(raw.baseAddress, Int32(clamping: raw.count)) else { return nil }
            defer { BIO_free(source) }
            return body(source)
        }
    }

    /// What the body writes to a BIO; the body returns 1 if it could.
    static func written(_ body: (OpaquePointer) -> Int32) throws(CertificateFailure) -> Bytes {
        ERR_clear_error()
        guard let target = BIO_new(BIO_s_mem()) else { throw .last }
        defer { BIO_free(target) }
        guard body(target) == 1 else { throw .last }
        return Bytes(room: BIO_ctrl_pending(target)) { room, count in
            count = Int(BIO_read(target, room.baseAddress, Int32(room.count)))
        }
    }

    /// The certificates in a text, in their order. The caller frees them. Other text is passed over, and so is a
    /// certificate that cannot be read: one bad root in a system's file must not take all others with it.
    static func certificates(_ text: Bytes) -> [OpaquePointer] {
        var found: [OpaquePointer] = []
        _ = reading(text) { source -> Void? in
            while BIO_ctrl_pending(source) > 0 {
                if let certificate = PEM_read_bio_X509(source, nil, noPassword, nil) { found.append(certificate) }
            }
            return nil
        }
        // The last look found nothing more, which is no error here.
        ERR_clear_error()
        return found
    }
}

/// Says that there is no password. Without it the library would ask the terminal (PEM_read_bio_PrivateKey(3)).
func noPassword(_: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _: UnsafeMutableRawPointer?) -> Int32 { -1 }
