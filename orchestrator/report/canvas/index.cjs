// chartjs-node-canvas was written for node-canvas, which must be compiled. @napi-rs/canvas comes
// prebuilt, but differs where it matters: its toBuffer takes no callback and its fonts register
// in one global place. Only the calls that chartjs-node-canvas makes are answered here.
"use strict";

const { createCanvas, GlobalFonts, Image } = require("@napi-rs/canvas");

function create(width, height) {
  const canvas = createCanvas(width, height);
  const toBuffer = canvas.toBuffer.bind(canvas);
  canvas.toBuffer = (first, second) => {
    if (typeof first !== "function") return toBuffer(first ?? "image/png");
    canvas.encode((second ?? "image/png").replace("image/", "")).then(
      (bytes) => first(null, bytes),
      (error) => first(error),
    );
    return undefined;
  };
  return canvas;
}

function registerFont(path, { family }) {
  // Without its font, text is not drawn and nothing says so.
  if (!GlobalFonts.registerFromPath(path, family)) throw new Error(`cannot register the font ${path}`);
}

module.exports = { createCanvas: create, registerFont, Image };
