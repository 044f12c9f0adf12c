// Files that the program carries in it: those of the console, the samples and two tables. `Sources/CEmbedded` lists them.
import CEmbedded

public enum EmbeddedFile {
    /// The bytes of a file; empty if there is none of that path. Nothing writes to them, and they live as long as the
    /// program.
    /// - Parameter path: the path below Sources/: "LarderConsole/Files/dom.js".
    public static func bytes(_ path: String) -> UnsafeBufferPointer<UInt8> {
        var count = 0
        let text = larder_embedded(path, &count)
        return UnsafeRawBufferPointer(start: text, count: count).assumingMemoryBound(to: UInt8.self)
    }

    /// The paths of all files.
    public static var paths: [String] {
        var paths: [String] = []
        while let path = larder_embedded_path(paths.count) { paths.append(String(cString: path)) }
        return paths
    }
}
