// The stand-in's pictures, decoded by a browser.
import LarderCore
import LarderOrigin
import LarderTestSupport
import Testing

@Suite(.serialized, .withChromium, InBrowser())
struct CoverScenarios {
    /// Decodes both pictures and answers the greatest mean difference of a colour between them.
    private static func difference(_ one: String, _ other: String) -> String {
        """
        Promise.all(["\(one)", "\(other)"].map(async (path) => {
          const image = await createImageBitmap(await (await fetch(path)).blob());
          const context = new OffscreenCanvas(96, 96).getContext("2d");
          context.drawImage(image, 0, 0, 96, 96);
          return context.getImageData(0, 0, 96, 96).data;
        })).then(([one, other]) => one.reduce((sum, value, at) => sum + Math.abs(value - other[at]), 0) / one.length)
        """
    }

    @Test func aNameHasTheSameCoverInEveryFormatAndSizeAndAnotherNameAnother() async throws {
        let origin = try OriginServer(source: .samples)
        try origin.start()
        defer { origin.stop() }
        let root = origin.root
        try await ConsoleStand.onPage { page in
            try page.open("\(root)/artwork/host/0/96x96bb.png")
            for number in 0..<12 {
                let picture = "/artwork/host/\(number)/96x96bb.png"
                for same in ["96x96bb.jpg", "192x192bb.jpg"] {
                    let difference = try page.value(Self.difference(picture, "/artwork/host/\(number)/\(same)"))
                    #expect(try #require(difference?.double) < 6, "\(number) \(same)")
                }
                let other = try page.value(Self.difference(picture, "/artwork/host/\(number + 1)/96x96bb.png"))
                #expect(try #require(other?.double) > 6, "\(number)")
            }
        }
    }
}
