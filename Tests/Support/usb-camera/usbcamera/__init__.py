"""A USB webcam in user space: a USB Video Class 1.1 device, served over USB/IP. See docs/testing-usb-camera.md."""
