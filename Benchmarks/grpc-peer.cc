// gRPC C++ at the work of socket-floor.c: two processes over loopback TCP, insecure credentials, no size limit.
//
//   grpc-peer stream BYTES SECONDS      a server stream of messages with BYTES of data
//   grpc-peer ping BYTES COUNT          unary calls, one at a time
//   grpc-peer calls IN_FLIGHT SECONDS   unary calls with 64 bytes of data, so many at once on one channel
//
// Prints one JSON object. CPU is user and system time of both processes, over the measured time alone.
#include <grpcpp/grpcpp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "grpc-peer.grpc.pb.h"

namespace {

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

double cpu_of(int who) {
  rusage use;
  getrusage(who, &use);
  return use.ru_utime.tv_sec + use.ru_stime.tv_sec + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

// Pings through the callback API, the quickest that this version has; the stream writes one message again and again.
class Server final : public peer::Peer::WithCallbackMethod_Ping<peer::Peer::Service> {
  grpc::ServerUnaryReactor* Ping(grpc::CallbackServerContext* context, const peer::Frame* request,
                                 peer::Frame* reply) override {
    *reply = *request;
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

  grpc::Status Stream(grpc::ServerContext*, const peer::StreamRequest* request,
                      grpc::ServerWriter<peer::Frame>* writer) override {
    peer::Frame frame;
    frame.set_data(std::string(request->bytes(), 'x'));
    for (uint64_t number = 0; writer->Write(frame); number++) frame.set_number(number);
    return grpc::Status::OK;
  }
};

// The child: serves until its parent closes the pipe, then says how much CPU it used.
[[noreturn]] void serve(int ready, int stop) {
  Server server;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterService(&server);
  auto running = builder.BuildAndStart();
  if (write(ready, &port, sizeof port) != sizeof port) _exit(1);
  char byte;
  while (read(stop, &byte, 1) > 0) {
    double used = cpu_of(RUSAGE_SELF);
    if (write(ready, &used, sizeof used) != sizeof used) _exit(1);
  }
  _exit(0);
}

struct Child {
  int ready[2], stop[2], port;
  pid_t process;

  Child() {
    if (pipe(ready) != 0 || pipe(stop) != 0) std::abort();
    process = fork();
    if (process == 0) {
      close(ready[0]);
      close(stop[1]);
      serve(ready[1], stop[0]);
    }
    if (read(ready[0], &port, sizeof port) != sizeof port) std::abort();
  }

  double cpu() {
    double used = 0;
    if (write(stop[1], "c", 1) != 1 || read(ready[0], &used, sizeof used) != sizeof used) std::abort();
    return used;
  }

  ~Child() {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
};

std::unique_ptr<peer::Peer::Stub> connect(const Child& child) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  return peer::Peer::NewStub(grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(child.port),
                                                       grpc::InsecureChannelCredentials(), arguments));
}

void stream(uint32_t bytes, double seconds) {
  Child child;
  auto stub = connect(child);
  grpc::ClientContext context;
  peer::StreamRequest request;
  request.set_bytes(bytes);
  auto reader = stub->Stream(&context, request);
  peer::Frame frame;
  reader->Read(&frame);
  double cpu = child.cpu() + cpu_of(RUSAGE_SELF), start = now(), end = start;
  uint64_t messages = 0;
  while (end - start < seconds && reader->Read(&frame)) {
    messages++;
    end = now();
  }
  cpu = child.cpu() + cpu_of(RUSAGE_SELF) - cpu;
  context.TryCancel();
  double gigabytes = messages * double(bytes) * 1e-9;
  printf("{\"gb_per_s\": %.4f, \"cpu_s_per_gb\": %.5f, \"messages_per_s\": %.1f}\n", gigabytes / (end - start),
         cpu / gigabytes, messages / (end - start));
}

void ping(size_t bytes, int count) {
  Child child;
  auto stub = connect(child);
  std::vector<double> times;
  peer::Frame request, reply;
  request.set_data(std::string(bytes, 'x'));
  for (int i = -count / 10; i < count; i++) {
    grpc::ClientContext context;
    double start = now();
    if (!stub->Ping(&context, request, &reply).ok()) std::abort();
    if (i >= 0) times.push_back((now() - start) * 1e6);
  }
  std::sort(times.begin(), times.end());
  printf("{\"p50_us\": %.2f, \"p99_us\": %.2f}\n", times[times.size() / 2], times[times.size() * 99 / 100]);
}

void calls(int in_flight, double seconds) {
  Child child;
  auto stub = connect(child);
  struct Call {
    grpc::ClientContext context;
    peer::Frame reply;
    grpc::Status status;
    std::unique_ptr<grpc::ClientAsyncResponseReader<peer::Frame>> reader;
  };
  grpc::CompletionQueue queue;
  peer::Frame request;
  request.set_data(std::string(64, 'x'));
  auto begin = [&] {
    auto* call = new Call;
    call->reader = stub->AsyncPing(&call->context, request, &queue);
    call->reader->Finish(&call->reply, &call->status, call);
  };
  for (int i = 0; i < in_flight; i++) begin();
  double warm = now() + seconds / 10, start = 0, end = 0, cpu = 0;
  uint64_t done = 0;
  void* tag;
  bool ok;
  while (queue.Next(&tag, &ok)) {
    auto* call = static_cast<Call*>(tag);
    if (!call->status.ok()) std::abort();
    delete call;
    begin();
    end = now();
    if (start == 0) {
      if (end < warm) continue;
      start = end;
      cpu = child.cpu() + cpu_of(RUSAGE_SELF);
    } else if (done++; end - start > seconds) {
      break;
    }
  }
  cpu = child.cpu() + cpu_of(RUSAGE_SELF) - cpu;
  printf("{\"calls_per_s\": %.1f, \"cpu_us_per_call\": %.3f}\n", done / (end - start), cpu * 1e6 / done);
  fflush(stdout);
  kill(child.process, SIGKILL);
  _exit(0);  // calls are still in flight
}

}  // namespace

int main(int count, char** words) {
  signal(SIGPIPE, SIG_IGN);
  std::string mode = count == 4 ? words[1] : "";
  if (mode == "stream") {
    stream(std::stoul(words[2]), std::stod(words[3]));
  } else if (mode == "ping") {
    ping(std::stoul(words[2]), std::stoi(words[3]));
  } else if (mode == "calls") {
    calls(std::stoi(words[2]), std::stod(words[3]));
  } else {
    fprintf(stderr, "usage: grpc-peer stream BYTES SECONDS | ping BYTES COUNT | calls IN_FLIGHT SECONDS\n");
    return 2;
  }
}
