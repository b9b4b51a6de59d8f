import { zip } from '../../testing/zip.ts';

const BARS = ['#fff', '#ff0', '#0ff', '#0f0', '#f0f', '#f00', '#00f', '#000'];

/**
 * The bundle with the test picture: colour bars, a grey scale, a frame at the edge with a mark in each corner, and the
 * serial number.
 */
export async function testPicture(serial: string): Promise<Buffer> {
  const text = serial.replace(/[^\w.:-]/g, '?');
  const bar = (colours: string[]): string =>
    `<div class="bars">${colours.map((colour) => `<i style="background:${colour}"></i>`).join('')}</div>`;
  const greys = Array.from(
    { length: 16 },
    (_, i) =>
      `rgb(${Array(3)
        .fill(i * 17)
        .join()})`,
  );
  const corners = ['top:0;left:0', 'top:0;right:0', 'bottom:0;left:0', 'bottom:0;right:0'];
  const html = `<!doctype html>
<meta charset="utf-8">
<title>Test picture</title>
<style>
  html, body { margin: 0; height: 100%; background: #000; overflow: hidden; cursor: none }
  body { display: flex; flex-direction: column; box-sizing: border-box; border: 2px solid #fff }
  .bars { display: flex; flex: 2 }
  .bars + .bars { flex: 1 }
  .bars i { flex: 1 }
  p { margin: 0; padding: 2vh; background: #222; color: #fff; font: 6vh sans-serif; text-align: center }
  b { position: fixed; width: 6vh; height: 6vh; background: #f00; outline: 1vh solid #fff }
</style>
${bar(BARS)}
${bar(greys)}
<p>${text}</p>
${corners.map((place) => `<b style="${place}"></b>`).join('')}`;
  return await zip({ 'index.html': html });
}
