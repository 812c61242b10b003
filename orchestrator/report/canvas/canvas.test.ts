import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { ChartJSNodeCanvas } from "chartjs-node-canvas";

const font = fileURLToPath(import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"));
const size = { width: 400, height: 200 };

async function draw(title: string): Promise<Buffer> {
  const charts = new ChartJSNodeCanvas({ ...size, backgroundColour: "white" });
  charts.registerFont(font, { family: "DejaVu Sans" });
  return charts.renderToBuffer({
    type: "bar",
    data: { labels: ["a", "b"], datasets: [{ data: [1, 2] }] },
    options: {
      font: { family: "DejaVu Sans" },
      plugins: {
        title: { display: true, text: title, font: { family: "DejaVu Sans" } },
        legend: { display: false },
      },
    },
  });
}

async function pixels(png: Buffer): Promise<Uint8ClampedArray> {
  const context = createCanvas(size.width, size.height).getContext("2d");
  context.drawImage(await loadImage(png), 0, 0);
  return context.getImageData(0, 0, size.width, size.height).data;
}

test("a chart becomes a PNG", async () => {
  const png = await draw("title");
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  assert.ok(png.length > 1000);
});

test("text is drawn: two titles of one height differ in many pixels", async () => {
  const [blank, written] = [await pixels(await draw(" ")), await pixels(await draw("POLE elects"))];
  let different = 0;
  for (let i = 0; i < blank.length; i += 4) if (blank[i] !== written[i]) different += 1;
  assert.ok(different > 200, `only ${different} pixels differ`);
});

test("a font that is not there is an error, not a chart without text", () => {
  const charts = new ChartJSNodeCanvas(size);
  assert.throws(() => charts.registerFont("/nowhere.ttf", { family: "Nowhere" }), /cannot register the font/);
});
