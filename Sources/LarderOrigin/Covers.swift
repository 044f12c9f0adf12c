// Draws pictures that look like covers: a ground that gets lighter, one of six figures in flat colours, and two bars in
// the place of a title. The seed chooses everything, so each name has a cover of its own at every size.
import LarderCore

/// One cover, in a palette of four tones with sixteen levels each.
struct Cover {
    /// Red, green and blue of each colour.
    let palette: [[Int]]
    private let seed: Bytes
    private let side: Double

    /// A ground, its light, and two colours for the figure.
    private static let tones = [
        [0x1F3B57, 0x3F7C8C, 0xF2C14E, 0xF5EFE0], [0x7A2E3A, 0xC65B4B, 0xF3D9B1, 0x2B2233],
        [0xE9DFC9, 0xF7F1E3, 0xC8553D, 0x2F4858], [0x2D4A3E, 0x5F8B63, 0xEFE3C2, 0xD98E3F],
        [0x3B2F5C, 0x7A5C99, 0xF29E8E, 0xF6E7CB], [0xD9842B, 0xF0B354, 0x3A3335, 0xFBF3E4],
        [0x15304B, 0x274F73, 0xE4572E, 0xF3F0E8], [0xBFD0D6, 0xE6EEEF, 0x2F5D73, 0xE0785A],
    ]

    init(seed: Bytes, side: Int) {
        self.seed = seed
        self.side = Double(max(1, side))
        let tones = Self.tones[Int(seed[0]) % Self.tones.count].map { tone in [16, 8, 0].map { tone >> $0 & 0xFF } }
        palette = (0..<64).map { index in
            let (tone, level) = (index / 16, index % 16)
            // The ground reaches its light. The other tones get a little darker towards the bottom.
            return (0..<3).map { part in
                tone == 0
                    ? tones[0][part] + (tones[1][part] - tones[0][part]) * level / 15
                    : tones[tone][part] * (120 - level) / 120
            }
        }
    }

    /// The number of the colour at a point. Tone 1 is not used by figures.
    func colour(_ column: Int, _ row: Int) -> Int {
        let (x, y) = ((Double(column) + 0.5) / side, (Double(row) + 0.5) / side)
        let level = min(15, Int(y * 16))
        if x > 0.1, y > 0.82, y < 0.86, x < 0.3 + Double(seed[2] & 31) / 64 { return 48 + level }
        if x > 0.1, y > 0.89, y < 0.91, x < 0.2 + Double(seed[3] & 31) / 80 { return 48 + level }
        return figure(x, y) * 16 + level
    }

    /// The tone at a point: 0 is the ground.
    private func figure(_ x: Double, _ y: Double) -> Int {
        let (place, width) = (0.3 + Double(seed[4]) / 640, 0.16 + Double(seed[5]) / 2560)
        let (dx, dy) = (x - place, y - 0.38)
        let distance = (dx * dx + dy * dy).squareRoot()
        switch seed[1] % 6 {
        case 0:  // A sun over hills.
            let hills = abs(x - place - 0.15) * 0.5 + 0.5
            return y > hills ? 2 : distance < width ? 3 : 0
        case 1:  // Rings.
            return distance < width * 1.6 ? (Int(distance / width * 3) & 1 == 0 ? 2 : 3) : 0
        case 2:  // Bands across.
            let band = (x + y - place) / width
            return (0..<3).contains(band) && y < 0.76 ? (Int(band) == 1 ? 3 : 2) : 0
        case 3:  // Quarters of discs.
            guard y < 0.75, x > 0.125, x < 0.875 else { return 0 }
            let (column, row) = (Int((x - 0.125) * 4), Int(y * 4))
            let turn = Int(seed[6 + column + 3 * row])
            let (u, v) = ((x - 0.125) * 4 - Double(column), y * 4 - Double(row))
            let (a, b) = (turn & 1 == 0 ? u : 1 - u, turn & 2 == 0 ? v : 1 - v)
            return a * a + b * b < 1 ? 2 + turn >> 2 & 1 : 0
        case 4:  // Bars of a sound.
            let bar = Int(x * 14)
            let height = 0.06 + Double(seed[6 + bar]) / 1000
            return x * 14 - Double(bar) < 0.6 && bar > 0 && bar < 13 && abs(dy) < height ? 2 + bar % 5 / 4 : 0
        default:  // Two discs, one before the other.
            let other = x - place - width
            return other * other + dy * dy < width * width ? 3 : distance < width * 1.3 ? 2 : 0
        }
    }
}
