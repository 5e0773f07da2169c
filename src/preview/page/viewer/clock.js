// Which frame is shown, and when.

class Clock {
  constructor(frames, fps) {
    this.frames = frames;
    this.fps = fps;
    this.speed = 1;
    this.isLooped = true;
    this.isPlaying = false;
    this.place = 0; // frames from the first, with the part of one that has passed
    this.before = null;
  }

  get frame() {
    return Math.max(0, Math.min(this.frames - 1, Math.floor(this.place)));
  }

  play() {
    if (this.frames < 2) return;
    if (!this.isLooped && this.frame === this.frames - 1) this.place = 0;
    this.isPlaying = true;
    this.before = null;
  }

  pause() {
    this.isPlaying = false;
  }

  // Goes to a frame, counted from 0; over the ends only in a loop.
  seek(frame) {
    const last = this.frames - 1;
    const around = (frame + this.frames) % this.frames;
    this.place = this.isLooped && Math.abs(frame - this.frame) === 1 ? around : Math.max(0, Math.min(last, frame));
  }

  // Lets time pass up to `now`, milliseconds.
  tick(now) {
    const passed = this.before === null ? 0 : (now - this.before) / 1000;
    this.before = now;
    if (!this.isPlaying) return;
    this.place += passed * this.fps * this.speed;
    if (this.place < this.frames) return;
    if (this.isLooped) {
      this.place %= this.frames;
    } else {
      this.place = this.frames - 1;
      this.isPlaying = false;
    }
  }
}
