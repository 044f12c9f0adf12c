// Reads names of fields and parameters as the most forgiving server does: without regard to case and to the characters
// between letters. PHP drops a space before a parameter's name, CGI treats "-" as "_", and frameworks take "httpMethod"
// for "http_method". So names are compared by their letters alone.
import LarderCore

/// Reads names that may mean more to a server than they say. Pure.
public enum RequestNames {
    /// The letters of a name in lower case. Nil if a server may decode the name again, or into other letters.
    public static func letters(_ name: String) -> String? {
        var out = Bytes()
        for byte in name.utf8 {
            guard (0x20..<0x7F).contains(byte), byte != 0x25 else { return nil }
            let lower = ASCII.lowercased(byte)
            if (0x61...0x7A).contains(lower) { out.append(lower) }
        }
        return out.lossyText
    }

    /// The letters of each name in a URL's query, or in content of type application/x-www-form-urlencoded. Nil if one
    /// of the names cannot be read with certainty.
    public static func letters(ofQuery query: Substring.UTF8View) -> [String]? {
        var out: [String] = []
        for pair in query.split(whereSeparator: { $0 == 0x26 || $0 == 0x3B }) {
            guard let name = try? PercentCoding.decode(pair.prefix { $0 != 0x3D }, plusIsSpace: true),
                let letters = letters(name)
            else { return nil }
            out.append(letters)
        }
        return out
    }
}
