// The JSON object of an upload. Status requests, event streams and content requests all get the same object.
import LarderCache
import LarderCore
import LarderProviders

/// Renders the JSON of an upload.
public enum UploadDocument {
    /// Returns the path of an upload.
    public static func path(_ id: String) -> String { "/v1/uploads/\(id)" }

    /// Renders the whole object.
    public static func bytes(_ report: UploadReport) -> Bytes {
        let machine = report.machine
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            writer.member("id", report.id)
            writer.member("state", machine.state.rawValue)
            writer.member("sent", machine.sent)
            if let total = machine.total { writer.member("total", total) }
            // When all is sent, the upload is not yet done. The API does not report its own progress.
            writer.member("allSent", machine.isAllSent)
            writer.member("createdAt", report.createdAt.rfc3339)
            writer.member(ifPresent: "endedAt", report.endedAt?.rfc3339)
            if let image = report.image {
                writer.name("image")
                image.write(to: &writer, of: report.fields.format.about)
            }
            if let failure = machine.failure {
                writer.name("error")
                writer.object { writer in
                    writer.member("code", failure.rawValue)
                    writer.member(ifPresent: "class", report.problem?.failure?.rawValue)
                    writer.member(ifPresent: "detail", report.problem?.detail)
                }
            }
            if machine.mayHaveArrived { writer.member("mayExist", true) }
            writer.member("self", path(report.id))
            writer.member("content", path(report.id) + "/content")
            writer.member("events", path(report.id) + "/events")
        }
        return writer.bytes
    }
}
