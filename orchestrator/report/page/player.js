// Plays a recorded election in its page: processes round a ring, messages on their way, step by step. The page
// puts what was recorded into `recorded`; nothing else is loaded.
(() => {
  const { names, dead, lines, flights, end, unit, isRing } = JSON.parse(document.getElementById("recorded").textContent);
  const stage = document.getElementById("stage");
  const [centre, radius, size] = [300, 225, names.length > 16 ? 12 : 22];
  const colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"];
  const kinds = [...new Set(flights.map((flight) => flight.kind))];
  const colourOf = (kind) => colours[kinds.indexOf(kind) % colours.length];
  const make = (tag, facts, parent = stage) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(facts)) element.setAttribute(name, value);
    parent.append(element);
    return element;
  };
  const angleOf = (place) => (2 * Math.PI * place) / names.length - Math.PI / 2;
  const spot = (angle, far) => [centre + far * Math.cos(angle), centre + far * Math.sin(angle)];
  if (isRing) make("circle", { cx: centre, cy: centre, r: radius, fill: "none", stroke: "#d0d7de", "stroke-width": 2 });
  const processes = names.map((name, place) => {
    const [x, y] = spot(angleOf(place), radius);
    const circle = make("circle", { cx: x, cy: y, r: size, fill: "#fff", stroke: "#1f2328", "stroke-width": 2 });
    const text = make("text", { x, y: y + 4, "text-anchor": "middle", "font-size": size > 20 ? 14 : 10 });
    text.textContent = name;
    const [outerX, outerY] = spot(angleOf(place), radius + size + 18);
    const note = make("text", { x: outerX, y: outerY + 4, "text-anchor": "middle", "font-size": 12, fill: "#57606a" });
    return { circle, text, note };
  });
  const moving = make("g", {});
  const labels = make("g", {});

  // Round a ring along it, a little inside against the direction of travel; else straight across.
  const onTheWay = ({ from, to, way }, part) => {
    if (isRing) {
      const turn = ((way === "on" ? 1 : -1) * 2 * Math.PI * part) / names.length;
      return spot(angleOf(from) + turn, radius + (way === "on" ? 0 : -26));
    }
    const [ax, ay] = spot(angleOf(from), radius);
    const [bx, by] = spot(angleOf(to), radius);
    return [ax + (bx - ax) * part, ay + (by - ay) * part];
  };

  const draw = (moment) => {
    const now = Math.floor(moment);
    processes.forEach(({ circle, text, note }, place) => {
      const told = lines.filter((line) => line.place === place && line.at <= now && line.follows !== null);
      const follows = told.length === 0 ? null : told.at(-1).follows;
      const isDead = dead.some(([at, since]) => at === place && since <= now);
      const leads = told.at(-1)?.leads === true;
      circle.setAttribute("fill", isDead ? "#d0d7de" : leads ? "#0a5c36" : follows === null ? "#fff" : "#cfe8dc");
      text.setAttribute("fill", leads && !isDead ? "#fff" : "#1f2328");
      note.textContent = isDead ? "dead" : leads ? "leads" : "";
    });
    moving.replaceChildren();
    labels.replaceChildren();
    for (const flight of flights) {
      if (moment < flight.left || moment >= flight.arrives) continue;
      const part = (moment - flight.left) / (flight.arrives - flight.left);
      const [x, y] = onTheWay(flight, 0.12 + 0.76 * part);
      make("circle", { cx: x, cy: y, r: 7, fill: colourOf(flight.kind) }, moving);
      if (names.length > 24) continue;
      const [anchor, beside] = x > centre ? ["end", x - 10] : ["start", x + 10];
      // Straight ways cross in the middle: whose message it is decides how high its words stand.
      const up = isRing ? 4 : 4 + 11 * ((flight.from % 3) - 1);
      const facts = { x: beside, y: y + up, "text-anchor": anchor, "font-size": 11, class: "onmap" };
      const label = make("text", facts, labels);
      label.textContent = flight.text;
    }
    document.getElementById("now").textContent = `${unit} ${now} of ${end}`;
    const list = document.getElementById("happens");
    list.replaceChildren(
      ...lines
        .filter((line) => line.at === now)
        .map((line) => {
          const item = document.createElement("li");
          item.textContent = `${names[line.place]} ${line.text}`;
          return item;
        }),
    );
    slider.value = String(moment);
  };

  const legend = document.getElementById("kinds");
  for (const kind of kinds) {
    const item = document.createElement("span");
    item.textContent = `● ${kind} `;
    item.style.color = colourOf(kind);
    legend.append(item);
  }
  const slider = document.getElementById("moment");
  const play = document.getElementById("play");
  slider.max = String(end);
  let moment = 0;
  let last = null;
  const stop = () => {
    last = null;
    play.textContent = "Play";
  };
  const go = (to) => {
    moment = Math.min(end, Math.max(0, to));
    draw(moment);
  };
  const frame = (time) => {
    if (last === null) return;
    go(moment + (Math.min(100, time - last) / 1000) * Number(document.getElementById("speed").value));
    last = time;
    if (moment >= end) stop();
    else requestAnimationFrame(frame);
  };
  play.onclick = () => {
    if (last !== null) return stop();
    if (moment >= end) go(0);
    play.textContent = "Pause";
    last = performance.now();
    requestAnimationFrame(frame);
  };
  document.getElementById("back").onclick = () => (stop(), go(Math.ceil(moment) - 1));
  document.getElementById("next").onclick = () => (stop(), go(Math.floor(moment) + 1));
  slider.oninput = () => (stop(), go(Number(slider.value)));
  // A picture of one moment can be asked for: story.html#moment=2.5
  go(Number(/moment=([\d.]+)/.exec(location.hash)?.[1] ?? 0));
})();
