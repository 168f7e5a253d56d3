"""Swift source of services: descriptors, server protocol, glue, client stub."""

import naming

# The longest payload of a request message whose type declares one, by service. While a client stream's messages come, its handler runs, and bounds how many
# send at once. A unary request is bounded by nothing but the calls of its connection until it is whole: no service but that for tests has one with a payload.
REQUEST_PAYLOAD_LIMITS = {"capture.v1.Library": 1 << 20, "capture.v1.Test": 16 << 20}


class Method:
    def __init__(self, method, service, package, names):
        self.name = naming.lower_camel(naming.camel_to_lower(method.name))
        self.full_name = f"{package}.{service.name}/{method.name}"
        self.request = names.swift(method.input_type)
        self.request_default = " = .init()" if method.input_type in names.empty_messages else ""
        self.response = names.swift(method.output_type)
        self.client_streams, self.server_streams = method.client_streaming, method.server_streaming
        self.payload_limit = REQUEST_PAYLOAD_LIMITS[f"{package}.{service.name}"] if method.input_type in names.payload_messages else 0
        self.kind = {
            (False, False): "unary", (False, True): "serverStream",
            (True, False): "clientStream", (True, True): "bidirectional",
        }[self.client_streams, self.server_streams]

    def server_signature(self):
        # The service owns its request: one that lasts, and declares it so too, lets go of it once it has what it needs.
        requests = f"_ requests: RequestReader<{self.request}>" if self.client_streams else f"_ request: consuming {self.request}"
        if self.server_streams:
            return f"nonisolated(nonsending) func {self.name}({requests}, context: CallContext, responses: ResponseWriter<{self.response}>) async throws"
        return f"nonisolated(nonsending) func {self.name}({requests}, context: CallContext) async throws -> {self.response}"

    def client_signature(self):
        request = "" if self.client_streams else f"_ request: {self.request}{self.request_default}, "
        answer = {
            "unary": self.response,
            "serverStream": f"ResponseStream<{self.response}>",
            "clientStream": f"ClientStreamCall<{self.request}, {self.response}>",
            "bidirectional": f"BidirectionalCall<{self.request}, {self.response}>",
        }[self.kind]
        return (f"public nonisolated(nonsending) func {self.name}({request}options: CallOptions = CallOptions())"
                f" async throws(RPCError) -> {answer}")


def service_source(out, service, package, path, comments, names):
    methods = [Method(method, service, package, names) for method in service.method]
    location = comments.get(path)

    out.line(f"/// The methods of `{package}.{service.name}`.")
    with out.block(f"public enum {service.name}Methods {{"):
        for method in methods:
            limit = f", requestPayloadLimit: {method.payload_limit}" if method.payload_limit else ""
            out.line(f'public static let {method.name} = MethodDescriptor(name: "{method.full_name}", kind: .{method.kind}{limit})')
        out.line(f"public static let all = [{', '.join(method.name for method in methods)}]")

    out.line()
    out.line(f"/// The node's side of `{package}.{service.name}`. A node has one type that conforms to it; tests may have another.")
    out.doc(location)
    with out.block(f"public protocol {service.name}Service: Sendable {{"):
        for index, method in enumerate(methods):
            out.doc(comments.get(path + (2, index)))
            out.line(method.server_signature())

    out.line()
    out.line(f"/// Offers a ``{service.name}Service`` on a node.")
    with out.block(f"public struct {service.name}ServiceHandler: ServiceHandler {{"):
        out.line(f"private let service: any {service.name}Service")
        out.line()
        out.line(f"public init(_ service: any {service.name}Service) {{ self.service = service }}")
        out.line()
        out.line(f"public var methods: [MethodDescriptor] {{ {service.name}Methods.all }}")
        out.line()
        with out.block("public nonisolated(nonsending) func handle(_ method: MethodDescriptor, context: CallContext, "
                       "requests: any RawRequestReader, responses: any RawResponseWriter) async throws {"):
            out.line("switch method.name {")
            for method in methods:
                out.line(f"case {service.name}Methods.{method.name}.name: try await {method.name}(context, requests, responses)")
            out.line("default: throw RPCError(unknownMethod: method.name)")
            out.line("}")
        for method in methods:
            out.line()
            handle_method(out, service, method)

    out.line()
    out.line(f"/// The client's side of `{package}.{service.name}`.")
    out.doc(location)
    with out.block(f"public struct {service.name}Client: Sendable {{"):
        out.line("private let channel: any CallChannel")
        out.line()
        out.line("public init(_ channel: any CallChannel) { self.channel = channel }")
        for index, method in enumerate(methods):
            out.line()
            out.doc(comments.get(path + (2, index)))
            with out.block(method.client_signature() + " {"):
                arguments = f"{service.name}Methods.{method.name}" + ("" if method.client_streams else ", request")
                out.line(f"try await channel.{method.kind}({arguments}, options: options)")


def handle_method(out, service, method):
    """A function of its own: what a call of it keeps while it lasts, another's has no part in."""
    out.line("@inline(never)")
    out.line(f"private nonisolated(nonsending) func {method.name}(_ context: CallContext, _ requests: any RawRequestReader, "
             "_ responses: any RawResponseWriter) async throws {")
    if method.client_streams:
        request = f"RequestReader<{method.request}>(requests, method: {service.name}Methods.{method.name}.name)"
    else:
        request = f"try await requests.only({method.request}.self, of: {service.name}Methods.{method.name})"
    out.line(f"  let input = {request}")
    if method.client_streams:
        out.line("  let context = try context.permitted()")
    else:
        out.line("  let context = try context.permitted(input)")
    given = "input" if method.client_streams else "consume input"
    if method.server_streams:
        out.line(f"  try await service.{method.name}({given}, context: context, responses: ResponseWriter(responses))")
    else:
        out.line(f"  try await responses.send(service.{method.name}({given}, context: context).raw())")
    out.line("}")
