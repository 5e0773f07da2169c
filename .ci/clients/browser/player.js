// Loads a GLB as any three.js page does, and answers questions about it at given times.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const canvas = document.getElementById('view');
const renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
const scene = new THREE.Scene();
scene.background = new THREE.Color(0xb8bcc4);
const sun = new THREE.DirectionalLight(0xffffff, 3);
sun.position.set(1, 2, 2);
scene.add(sun, new THREE.HemisphereLight(0xffffff, 0x666677, 1.2));
const camera = new THREE.PerspectiveCamera(35, 1);
let gltf, mixer, cloths;

window.load = async (url) => {
  gltf = await new GLTFLoader().loadAsync(url);
  scene.add(gltf.scene);
  mixer = new THREE.AnimationMixer(gltf.scene);
  for (const clip of gltf.animations) {
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
  }
  cloths = [];
  gltf.scene.traverse((object) => {
    if (object.isMesh && object.geometry.getAttribute('_vertex_id')) cloths.push(object);
  });
  frameTheView();
  const skinned = [];
  gltf.scene.traverse((object) => object.isSkinnedMesh && skinned.push(object.name));
  return {
    animations: gltf.animations.map(({ name, duration, tracks }) => ({ name, duration, tracks: tracks.length })),
    cloths: cloths.map(({ name, morphTargetInfluences }) => ({ name, targets: morphTargetInfluences?.length ?? 0 })),
    skinned,
  };
};

// Shows the moment and says where the garment's vertices are: [vertex of the file, x, y, z, ...].
window.at = (seconds) => {
  mixer.setTime(seconds);
  gltf.scene.updateMatrixWorld(true);
  const found = [];
  let mostActive = 0;
  const point = new THREE.Vector3();
  for (const cloth of cloths.filter(isShown)) {
    mostActive = Math.max(mostActive, (cloth.morphTargetInfluences ?? []).filter((weight) => weight > 1e-6).length);
    const ids = cloth.geometry.getAttribute('_vertex_id');
    for (const corner of new Set(cloth.geometry.index.array)) {
      cloth.getVertexPosition(corner, point).applyMatrix4(cloth.matrixWorld);
      found.push(ids.getX(corner), point.x, point.y, point.z);
    }
  }
  renderer.render(scene, camera);
  return { found, mostActive, pixels: pixels(), glError: renderer.getContext().getError() };
};

// A zero scale does not survive in the world matrix: read it where the track writes it.
function isShown(object) {
  for (let node = object; node; node = node.parent) if (node.scale.x < 0.5) return false;
  return true;
}

function frameTheView() {
  const box = new THREE.Box3().setFromObject(gltf.scene);
  const centre = box.getCenter(new THREE.Vector3());
  const size = box.getSize(new THREE.Vector3()).length();
  camera.position.copy(centre).add(new THREE.Vector3(0.5, 0.25, 1).normalize().multiplyScalar(1.5 * size));
  camera.lookAt(centre);
  [camera.near, camera.far] = [0.01 * size, 10 * size];
  camera.updateProjectionMatrix();
}

// Brightness of every 64th pixel.
function pixels() {
  const gl = renderer.getContext();
  const { drawingBufferWidth: width, drawingBufferHeight: height } = gl;
  const all = new Uint8Array(4 * width * height);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, all);
  const some = [];
  for (let i = 0; i < all.length; i += 256) some.push(all[i] + all[i + 1] + all[i + 2]);
  return some;
}

window.ready = true;
