
# A server as hostile as can be: each attempt is a process of its own.
def main():
    order = json.loads(sys.stdin.readline())
    globals()['NUMBERS'] = order['numbers']
    for code in order['attempts']:
        sys.stdout.write(json.dumps(tried(code, order['world'])) + '\n')
        sys.stdout.flush()

def tried(code, world):
    out, into = os.pipe()
    number = os.fork()
    if number == 0:
        os.setpgid(0, 0)
        os.close(out)
        said = attempt(code, world)
        os.write(into, said.encode()[:500])
        os._exit(0)
    os.close(into)
    _, status = os.waitpid(number, 0)
    try: os.killpg(number, signal.SIGKILL)
    except ProcessLookupError: pass
    # Those it started hold the pipe until they are gone.
    said = b''.join(iter(lambda: os.read(out, 4096), b'')).decode()
    os.close(out)
    return said or f'held: {status}'

main()
