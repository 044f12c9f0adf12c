// The version is written here alone; which commit it is, only the build knows.
import CBuild

/// The version of this build, as `larder version`, `/v1/status` and the `User-Agent` say it.
public enum LarderVersion {
    public static let text = "0.1.0"
    /// The commit that was built; "unknown" where the build was not told.
    public static let commit = String(cString: larder_build_commit())
}
