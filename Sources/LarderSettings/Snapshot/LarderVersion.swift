/// The version of this build, as `larder version`, `/v1/status` and the `User-Agent` say it.
public enum LarderVersion {
    public static let text = "0.1.0"
}
