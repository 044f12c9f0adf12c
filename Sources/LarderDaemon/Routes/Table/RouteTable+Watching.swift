// The routes that report requests: those answered recently, and those that happen now.
import LarderCore
import LarderServer

extension RouteTable {
    static let requests = RouteGroup(
        line: "[recent requests](Docs/operations.md#requests-as-they-happen), and requests as they happen",
        routes: [
            Route(
                methods: [.get], pattern: "/v1/requests", name: "requests",
                summary: "The recent requests, newest first.",
                parameters: RequestsRoute.listParameters,
                answers: [
                    RouteAnswer(
                        200, "The requests. Without authority, only names of parameters.", .schema(.requests)),
                    .wrongQuestion,
                ], isLooking: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.requests.list(call.request, route: call.name)
            },
            Route(
                methods: [.get], pattern: "/v1/requests/events", name: "requests",
                summary: "Requests as they are answered, as server-sent events.",
                parameters: RequestsRoute.eventParameters,
                answers: [
                    RouteAnswer(
                        200, "Events named \"requests\", at most five a second.", .events(["requests": .requestEvent])),
                    .wrongQuestion,
                    RouteAnswer(503, "Too many event streams are open."),
                ], isLooking: true
            ) { parts, call throws(ClientFacingError) in
                try await parts.requests.events(call.request, route: call.name)
            },
        ])
}
