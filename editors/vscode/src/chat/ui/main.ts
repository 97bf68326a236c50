import type { HostMessage, PageMessage } from '../protocol';

interface Host {
  postMessage(message: PageMessage): void;
}

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();
window.addEventListener('message', (event: MessageEvent<HostMessage>) => {
  document.body.dataset.last = event.data.type;
});
host.postMessage({ type: 'ready' });
