// An agent for tests. A prompt is a list of steps, in JSON, which it does one after the other:
//
//   {"say": TEXT}                        a message
//   {"think": TEXT}                      a thought
//   {"read": PATH}                       asks for a file, and says what it holds
//   {"write": PATH, "text": TEXT}        has a file written (fs/write_text_file)
//   {"disk": PATH, "text": TEXT}         writes it on disk itself, in a tool call; with
//                                        {"encoding": "base64"} the bytes that TEXT is of
//   {"remove": PATH}                     deletes it on disk, in a tool call
//   {"run": COMMAND}                     has a shell run it, in a tool call
//   {"ask": TITLE, "command"?: COMMAND}  asks for permission, and says what was answered; with
//                                        {"edit": PATH, "text": TEXT} for what the file is to have
//   {"prompt": true}                     says, in JSON, what it was sent beside the steps
//   {"commands": [NAME]}                 tells of slash commands
//   {"plan": [TEXT]}                     a plan
//   {"until": PATH}                      waits until there is such a file, or it is cancelled
//   {"hold": true}                       waits until it is cancelled
//   {"die": true}                        exits at once
//
// A prompt that is no JSON is said back. Paths are relative to the session's folder.
//
// node agent.mjs --keep FOLDER keeps there what is said, and loads and lists sessions again. While
// there is a file `hold` in it no loading is answered.
import { execSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';

let next = 1;
const waiting = new Map();
const sessions = new Map();

function write(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function call(method, params) {
  return new Promise((resolve, reject) => {
    const id = next++;
    waiting.set(id, { resolve, reject });
    write({ id, method, params });
  });
}

function update(sessionId, sessionUpdate, members) {
  write({ method: 'session/update', params: { sessionId, update: { sessionUpdate, ...members } } });
}

const kept = process.argv[2] === '--keep' ? process.argv[3] : undefined;
const keptFile = (sessionId) => path.join(kept, `${sessionId}.json`);

function say(sessionId, text, kind = 'agent_message_chunk') {
  update(sessionId, kind, { content: { type: 'text', text } });
  keep(sessionId, kind, text);
}

function keep(sessionId, ...said) {
  if (kept !== undefined) {
    fs.mkdirSync(kept, { recursive: true });
    fs.appendFileSync(keptFile(sessionId), `${JSON.stringify(said)}\n`);
  }
}

/** Resolves when there is a file, or the session is cancelled. */
async function appears(file, session) {
  let watcher;
  await new Promise((resolve) => {
    const look = () => fs.existsSync(file) && resolve();
    session.cancel = resolve;
    watcher = fs.watch(path.dirname(file), look);
    look(); // it may have come before it was watched for
  });
  watcher.close();
}

async function step(sessionId, session, one) {
  const file = (name) => path.resolve(session.cwd, name);
  const diff = ({ edit, text }) => ({
    kind: 'edit',
    content: [
      {
        type: 'diff',
        path: file(edit),
        oldText: fs.readFileSync(file(edit), 'utf8'),
        newText: text,
      },
    ],
  });
  if (one.say !== undefined) {
    say(sessionId, one.say);
  } else if (one.think !== undefined) {
    say(sessionId, one.think, 'agent_thought_chunk');
  } else if (one.read !== undefined) {
    const { content } = await call('fs/read_text_file', { sessionId, path: file(one.read) });
    say(sessionId, content);
  } else if (one.write !== undefined) {
    const params = { sessionId, path: file(one.write), content: one.text };
    await call('fs/write_text_file', params);
  } else if (one.disk !== undefined) {
    const toolCallId = `call-${next++}`;
    const locations = [{ path: file(one.disk) }];
    const tool = { toolCallId, title: `Edit ${one.disk}`, kind: 'edit', locations };
    update(sessionId, 'tool_call', { ...tool, status: 'in_progress' });
    fs.writeFileSync(file(one.disk), one.text, one.encoding ?? 'utf8');
    update(sessionId, 'tool_call_update', { toolCallId, status: 'completed' });
  } else if (one.remove !== undefined) {
    const toolCallId = `call-${next++}`;
    const locations = [{ path: file(one.remove) }];
    const tool = { toolCallId, title: `Delete ${one.remove}`, kind: 'delete', locations };
    update(sessionId, 'tool_call', { ...tool, status: 'in_progress' });
    fs.rmSync(file(one.remove));
    update(sessionId, 'tool_call_update', { toolCallId, status: 'completed' });
  } else if (one.run !== undefined) {
    const toolCallId = `call-${next++}`;
    const tool = { toolCallId, title: one.run, kind: 'execute' };
    update(sessionId, 'tool_call', { ...tool, status: 'in_progress' });
    execSync(one.run, { cwd: session.cwd, stdio: 'ignore' });
    update(sessionId, 'tool_call_update', { toolCallId, status: 'completed' });
  } else if (one.ask !== undefined) {
    const toolCall = {
      toolCallId: `call-${next++}`,
      title: one.ask,
      kind: one.command ? 'execute' : 'other',
      status: 'pending',
      ...(one.command && { rawInput: { command: one.command } }),
      ...(one.edit && diff(one)),
    };
    const options = [
      { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ];
    const { outcome } = await call('session/request_permission', { sessionId, toolCall, options });
    say(sessionId, `answer: ${outcome.optionId ?? outcome.outcome}`);
  } else if (one.prompt) {
    say(sessionId, JSON.stringify(session.prompt.slice(1)));
  } else if (one.commands !== undefined) {
    const availableCommands = one.commands.map((name) => ({ name, description: `does ${name}` }));
    update(sessionId, 'available_commands_update', { availableCommands });
  } else if (one.plan !== undefined) {
    const entries = one.plan.map((content) => ({ content, priority: 'medium', status: 'pending' }));
    update(sessionId, 'plan', { entries });
  } else if (one.until !== undefined) {
    await appears(file(one.until), session);
  } else if (one.hold) {
    await new Promise((resolve) => {
      session.cancel = resolve;
    });
  } else if (one.die) {
    process.stderr.write('the agent dies as it was told\n');
    process.exit(3);
  }
}

function steps(text) {
  try {
    return JSON.parse(text);
  } catch {
    return [{ say: text }];
  }
}

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: kept !== undefined,
      ...(kept !== undefined && { sessionCapabilities: { list: {} } }),
    },
    authMethods: [],
  }),
  'session/new': ({ cwd }) => {
    const sessionId = kept === undefined ? `agent-${next++}` : randomUUID();
    sessions.set(sessionId, { cwd });
    keep(sessionId, 'cwd', cwd);
    return { sessionId };
  },
  'session/list': () => ({
    sessions: fs
      .readdirSync(kept)
      .filter((name) => name.endsWith('.json'))
      .map((name) => {
        const [first] = fs.readFileSync(path.join(kept, name), 'utf8').split('\n', 1);
        const [, cwd] = JSON.parse(first);
        return { sessionId: path.basename(name, '.json'), cwd, title: `kept in ${cwd}` };
      }),
  }),
  'session/load': async ({ sessionId, cwd }) => {
    if (fs.existsSync(path.join(kept, 'hold'))) {
      await new Promise(() => undefined);
    }
    const said = fs.readFileSync(keptFile(sessionId), 'utf8').trimEnd().split('\n');
    sessions.set(sessionId, { cwd });
    for (const line of said) {
      const [kind, text] = JSON.parse(line);
      if (kind === 'cwd') {
        continue;
      }
      update(sessionId, kind, { content: { type: 'text', text } });
    }
    return {};
  },
  'session/prompt': async ({ sessionId, prompt }) => {
    const session = sessions.get(sessionId);
    session.cancelled = false;
    session.prompt = prompt;
    session.cancel = undefined;
    keep(sessionId, 'user_message_chunk', prompt[0]?.text ?? '');
    for (const one of steps(prompt[0]?.text ?? '')) {
      if (!session.cancelled) {
        await step(sessionId, session, one);
      }
    }
    return { stopReason: session.cancelled ? 'cancelled' : 'end_turn' };
  },
  'session/cancel': ({ sessionId }) => {
    const session = sessions.get(sessionId) ?? {};
    session.cancelled = true;
    session.cancel?.();
  },
};

readline.createInterface({ input: process.stdin }).on('line', async (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined) {
    const { resolve, reject } = waiting.get(message.id) ?? {};
    waiting.delete(message.id);
    if (message.error) {
      reject?.(new Error(message.error.message));
    } else {
      resolve?.(message.result);
    }
    return;
  }
  const method = methods[message.method];
  try {
    const result = method && (await method(message.params));
    if (message.id !== undefined) {
      const error = { code: -32601, message: `no method ${message.method}` };
      write(method ? { id: message.id, result } : { id: message.id, error });
    }
  } catch (err) {
    write({ id: message.id, error: { code: -32603, message: err.message } });
  }
});
