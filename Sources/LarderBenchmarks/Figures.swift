// Formats figures and tables. The tables are Markdown with padded columns, so they are readable on a terminal too.

enum Figures {
    /// "67,012"
    static func grouped(_ value: Double) -> String {
        let digits = "\(Int64(value.rounded()).magnitude)"
        var text = ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return value.rounded() < 0 ? "-" + text : text
    }

    /// "1.62": rounded to this many decimal places.
    static func fixed(_ value: Double, _ places: Int) -> String {
        var factor = 1.0
        for _ in 0..<places { factor *= 10 }
        let scaled = Int64((value * factor).rounded())
        guard places > 0 else { return "\(scaled)" }
        let digits = "\(scaled.magnitude)"
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return (scaled < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
    }

    /// "67,012 (66,100–68,000)": the median and the extremes.
    static func spread(_ sample: Sample?, _ write: (Double) -> String) -> String {
        guard let sample, let median = sample.median, let least = sample.least, let greatest = sample.greatest else {
            return "–"
        }
        return "\(write(median)) (\(write(least))–\(write(greatest)))"
    }

    /// A table. The first row is its head, the first column is text, and the other columns are figures.
    static func table(_ rows: [[String]]) -> String {
        guard let head = rows.first else { return "" }
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            let padded = cells.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - cells[column].count)
                return column == 0 ? cells[column] + space : space + cells[column]
            }
            return "| " + padded.joined(separator: " | ") + " |\n"
        }
        let rule = widths.indices.map { column in
            column == 0
                ? String(repeating: "-", count: widths[column])
                : String(repeating: "-", count: max(widths[column] - 1, 1)) + ":"
        }
        return line(head) + line(rule) + rows.dropFirst().map(line).joined()
    }
}
