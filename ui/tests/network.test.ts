/** The view "Network": what is done by clicking is confirmed at the device. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hostAccessIn, proxyIn, timeServersIn } from '../src/views/network/network-settings.ts';
import { checkAccessibility, Stage, savePicture, WIDTHS, waitForView } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.create();
});
after(() => stage.close());

test('every interface is listed with its addresses, and how this page reaches the device', async () => {
  const page = await stage.open({ path: '/network' });
  await waitForView(page);
  const { interfaces, hostname } = await stage.client.get('/network');
  const list = page.getByRole('list', { name: 'Interfaces of the device' });
  for (const { name, addresses } of interfaces.slice(0, 40)) {
    const item = list.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
    for (const address of addresses) await item.getByText(address, { exact: true }).waitFor();
  }
  await page.getByText(hostname, { exact: true }).first().waitFor();
  await page.getByText('An address of your own computer').waitFor();
  await page.getByText('Not encrypted (HTTP)').waitFor();
  await page.close();
});

test('the interface of this page is marked, and one without a router says what to do', async () => {
  const prepared = [
    { name: 'gadget0', addresses: ['10.55.77.1', '127.0.0.1'] },
    { name: 'eth0', addresses: ['fe80::1'] },
    { name: 'wlan0', addresses: [] },
  ];
  const page = await stage.open({
    path: '/network',
    prepare: async (one) => {
      await one.route('**/api/v1/network', (route) =>
        route.fulfill({ json: { hostname: 'vitrine', interfaces: prepared } }),
      );
    },
  });
  const list = page.getByRole('list', { name: 'Interfaces of the device' });
  const item = (name: string) => list.getByRole('listitem').filter({ hasText: name });
  await item('gadget0').getByText('Has an address').waitFor();
  await item('gadget0').getByText('Your connection').waitFor();
  await page.getByText('gadget0 (Cable to your computer)').waitFor();
  await item('eth0').getByText('Local address only').waitFor();
  await item('eth0').getByText('No router has given an address.').waitFor();
  await item('wlan0').getByText('No address', { exact: true }).waitFor();
  await checkAccessibility(page, 'network-prepared');
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    await savePicture(page, `network-prepared-light-${width}`);
  }
  await page.close();
});

test('a proxy is stored when it is complete; a refused one gives the reason', async () => {
  const page = await stage.open({ path: '/network' });
  const mode = page.getByLabel('How pages reach the internet');
  await mode.selectOption('manual');
  const form = page.locator('form', { has: mode });
  const save = form.getByRole('button', { name: 'Save', exact: true });
  await save.click();
  await page.getByText('Enter the address of a proxy here').waitFor();
  const field = page.getByLabel('Proxy for http pages');
  await field.fill('proxy.example');
  await save.click();
  await form.getByText('The device has refused this.').waitFor();
  await form.getByText(/\/proxy\/http/).waitFor();
  assert.equal(proxyIn(await stage.client.get('/config')).mode, 'none');
  await field.fill('http://proxy.example:3128');
  await page.getByLabel('Reached without the proxy').fill('intranet.example, 10.0.0.0/8');
  await save.click();
  await page.locator('.toast-good', { hasText: 'Saved' }).waitFor();
  assert.deepEqual(proxyIn(await stage.client.get('/config')), {
    ...{ mode: 'manual', http: 'http://proxy.example:3128', https: '', pacUrl: '' },
    noProxy: 'intranet.example 10.0.0.0/8',
  });
  // Another host changes it back.
  await stage.client.patch('/config', { json: { proxy: null } });
  await page.getByLabel('Proxy for http pages').waitFor({ state: 'detached' });
  assert.equal(await mode.inputValue(), 'none');
  await page.close();
});

test('access to the host and time servers are settings of the device', async () => {
  const page = await stage.open({ path: '/network' });
  const services = page.getByRole('switch', { name: /Pages may use services/ });
  await services.click();
  await page.getByRole('switch', { name: /Pages may use services/, checked: true }).waitFor();
  assert.equal(hostAccessIn(await stage.client.get('/config')).hostServices, true);
  await stage.client.patch('/config', { json: { browser: { allow_host_services: false } } });
  await page.getByRole('switch', { name: /Pages may use services/, checked: false }).waitFor();
  const servers = page.getByLabel('Servers', { exact: true });
  await servers.fill('ntp.example\n192.0.2.1');
  const form = page.locator('form', { has: servers });
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.toast-good', { hasText: 'Saved' }).waitFor();
  assert.deepEqual(timeServersIn(await stage.client.get('/config')), ['ntp.example', '192.0.2.1']);
  await servers.fill('not a host!');
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  await form.getByText('The device has refused this.').waitFor();
  await page.close();
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
