import {
  BufferGeometry,
  CircleGeometry,
  Color,
  DirectionalLight,
  Float32BufferAttribute,
  Group,
  HemisphereLight,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  RingGeometry,
  ShadowMaterial,
  type Vector3,
} from "three";

const SHADOW_PIXELS = 2048;
const FADING = { vertexColors: true, transparent: true, depthWrite: false, toneMapped: false };

/** A quiet studio: a pool of light on the floor, a metre grid, a key and a fill light. */
export class Room {
  readonly group = new Group();
  readonly #key = new DirectionalLight(0xfff4e6, 2.6);
  readonly #fill = new DirectionalLight(0xdfeaff, 1.1);
  readonly #rim = new DirectionalLight(0xffffff, 0.9);
  readonly #sky = new HemisphereLight(0xffffff, 0xb9b4ac, 1.15);
  readonly #pool: Mesh<RingGeometry, MeshBasicMaterial>;
  readonly #shadow: Mesh<CircleGeometry, ShadowMaterial>;
  readonly #grid: LineSegments<BufferGeometry, LineBasicMaterial>;

  /** `radius` is how far the floor reaches, `tall` the height of what stands on it; metres. */
  constructor(radius: number, tall: number) {
    this.#pool = pool(radius);
    this.#grid = grid(radius);
    this.#shadow = new Mesh(
      new CircleGeometry(radius, 48),
      new ShadowMaterial({ opacity: 0.22, depthWrite: false }),
    );
    this.#shadow.rotation.x = -Math.PI / 2;
    this.#shadow.receiveShadow = true;
    [this.#pool, this.#grid, this.#shadow].forEach((part, i) => {
      part.renderOrder = i - 3;
      part.position.y = -0.002 + 0.0005 * i;
    });
    this.#castShadows(tall);
    this.group.add(this.#pool, this.#grid, this.#shadow, this.#sky);
    for (const light of [this.#key, this.#fill, this.#rim]) this.group.add(light, light.target);
  }

  /** Light the place at `centre`, where a figure is. */
  lightUp(centre: Vector3): void {
    this.#key.target.position.copy(centre);
    this.#fill.target.position.copy(centre);
    this.#rim.target.position.copy(centre);
    this.#key.position.set(centre.x - 1.2, centre.y + 4.2, centre.z + 1.9);
    this.#fill.position.set(centre.x + 3, centre.y + 1.2, centre.z + 2);
    this.#rim.position.set(centre.x + 0.8, centre.y + 2.2, centre.z - 3);
  }

  set shadows(on: boolean) {
    this.#key.castShadow = on;
  }

  paint(floor: string, line: string, dark: boolean): void {
    this.#pool.material.color = new Color(floor);
    this.#grid.material.color = new Color(line);
    this.#shadow.material.opacity = dark ? 0.42 : 0.2;
    this.#sky.intensity = dark ? 1.1 : 1.6;
  }

  #castShadows(tall: number): void {
    const { shadow } = this.#key;
    const reach = 1.15 * tall;
    this.#key.castShadow = true;
    shadow.mapSize.set(SHADOW_PIXELS, SHADOW_PIXELS);
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach });
    Object.assign(shadow.camera, { near: 0.2, far: 6 + 2 * tall });
    shadow.camera.updateProjectionMatrix();
    shadow.radius = 3.5;
    shadow.bias = -0.0004;
    shadow.normalBias = 0.02;
  }
}

function pool(radius: number): Mesh<RingGeometry, MeshBasicMaterial> {
  const geometry = new RingGeometry(0, radius, 64, 24);
  const place = geometry.getAttribute("position");
  const colours = new Float32Array(place.count * 4).fill(1);
  for (let i = 0; i < place.count; i += 1) {
    colours[4 * i + 3] = faded(Math.hypot(place.getX(i), place.getY(i)) / radius);
  }
  geometry.setAttribute("color", new Float32BufferAttribute(colours, 4));
  const material = new MeshBasicMaterial(FADING);
  const mesh = new Mesh(geometry, material);
  mesh.rotation.x = -Math.PI / 2;
  return mesh;
}

/** Lines a metre apart in pieces of half a metre, so that they can fade towards the edge. */
function grid(radius: number): LineSegments<BufferGeometry, LineBasicMaterial> {
  const places: number[] = [];
  const colours: number[] = [];
  const point = (x: number, z: number): void => {
    places.push(x, 0, z);
    colours.push(1, 1, 1, faded(Math.hypot(x, z) / radius));
  };
  const reach = Math.floor(radius);
  for (let line = -reach; line <= reach; line += 1) {
    for (let from = -reach; from < reach; from += 0.5) {
      point(line, from);
      point(line, from + 0.5);
      point(from, line);
      point(from + 0.5, line);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(places, 3));
  geometry.setAttribute("color", new Float32BufferAttribute(colours, 4));
  const material = new LineBasicMaterial(FADING);
  return new LineSegments(geometry, material);
}

function faded(ratio: number): number {
  const left = Math.max(0, 1 - ratio);
  return left * left * (3 - 2 * left);
}
