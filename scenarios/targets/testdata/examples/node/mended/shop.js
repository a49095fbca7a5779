// A shop that takes payments from a form: the key for the bank is in the journal before the bank is asked for money.
'use strict';
const fs = require('node:fs');
const http = require('node:http');
const { randomUUID } = require('node:crypto');

const config = JSON.parse(fs.readFileSync('config.json', 'utf8'));
const journal = fs.openSync('payments.jsonl', 'a+');
const payments = new Map(); // by order
for (const line of fs.readFileSync(journal, 'utf8').split('\n').slice(0, -1)) {
  const payment = JSON.parse(line);
  payments.set(payment.order, payment);
}

function keep(payment) {
  fs.writeSync(journal, JSON.stringify(payment) + '\n');
  fs.fsyncSync(journal);
  payments.set(payment.order, payment);
}

async function charge({ order, amount, key }) {
  const answer = await fetch(config.bank + '/v1/charges', {
    method: 'POST',
    headers: { 'Idempotency-Key': key },
    body: new URLSearchParams({ amount, description: `order ${order}` }),
    signal: AbortSignal.timeout(2000),
  });
  return (await answer.json()).state;
}

async function pay(order, amount) {
  const found = payments.get(order);
  if (found) return found.amount === amount ? found : { status: 'refused' };
  keep({ order, amount, status: 'pending', key: randomUUID() });
  await finish(payments.get(order));
  return payments.get(order);
}

// finish asks the bank, always under the same key. An answer that is lost changes nothing: the payment stays pending.
async function finish(payment) {
  if (payment.busy) return;
  payment.busy = true;
  try {
    const state = await charge(payment);
    if (state === 'paid' || state === 'failed') keep({ ...payment, busy: undefined, status: state });
  } catch (trouble) {
    console.log(`order ${payment.order} is not known yet: ${trouble}`);
  } finally {
    payment.busy = false;
  }
}

setInterval(() => {
  for (const payment of payments.values()) if (payment.status === 'pending') finish(payment);
}, 1000);

async function answer(request) {
  const url = new URL(request.url, 'http://shop');
  if (request.method === 'POST' && url.pathname === '/pay') {
    let body = '';
    for await (const piece of request) body += piece;
    const form = new URLSearchParams(body);
    const payment = await pay(form.get('order'), form.get('amount'));
    return [{ paid: 200, pending: 202, failed: 402 }[payment.status] ?? 422, { status: payment.status }];
  }
  if (url.pathname === '/payments') {
    const wanted = (p) => p.order === url.searchParams.get('order') && p.status === url.searchParams.get('status');
    return [200, { payments: [...payments.values()].filter(wanted) }];
  }
  return [404, { error: 'no such page' }];
}

http.createServer(async (request, response) => {
  let status = 500, body = { error: 'try again' };
  try {
    [status, body] = await answer(request);
  } catch (trouble) {
    console.log(`${request.method} ${request.url}: ${trouble}`);
  }
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}).listen(config.port, '127.0.0.1');
