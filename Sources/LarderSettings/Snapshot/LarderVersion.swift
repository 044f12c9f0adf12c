// The version of Larder. It is written only here; the build supplies the commit.
import CBuild

/// The version of this build, as shown by `larder version`, `/v1/status` and the `User-Agent`.
public enum LarderVersion {
    public static let text = "0.2.0"
    /// The commit that was built; "unknown" if the build was not told.
    public static let commit = String(cString: larder_build_commit())
}
